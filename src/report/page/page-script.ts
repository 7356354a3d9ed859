import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** Joins a page's only script from its `parts`, files of the folder `browser` beside `module`. */
export function pageScript(module: string, parts: readonly string[]): string {
  const texts = parts.map((name) => readFileSync(new URL(`./browser/${name}.js`, module), 'utf8'))
  return `(() => {\n'use strict'\n${texts.join('\n')}})()\n`
}

/** Hashes an inline script or style for a content security policy. */
export function contentHash(text: string): string {
  return `sha256-${hash('sha256', text, 'base64')}`
}
