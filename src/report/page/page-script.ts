import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** The one script of a page: plain files in this order, from the folder `browser` beside a module. */
export function pageScript(module: string, parts: readonly string[]): string {
  const texts = parts.map((name) => readFileSync(new URL(`./browser/${name}.js`, module), 'utf8'))
  return `(() => {\n'use strict'\n${texts.join('\n')}})()\n`
}

/** As a content security policy names a script or a style that may be in a page. */
export function contentHash(text: string): string {
  return `sha256-${hash('sha256', text, 'base64')}`
}
