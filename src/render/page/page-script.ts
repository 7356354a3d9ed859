import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** The one script of a page: it shows all rows of the tables, and sorts, filters and searches them. */
export function pageScript(): string {
  const texts = PARTS.map((name) =>
    readFileSync(new URL(`./browser/${name}.js`, import.meta.url), 'utf8'),
  )
  return `(() => {\n'use strict'\n${texts.join('\n')}})()\n`
}

/** As a content security policy names a script that may run. */
export function scriptHash(script: string): string {
  return `sha256-${hash('sha256', script, 'base64')}`
}

/** In this order. The bundle has them beside it, too (`rolldown.config.ts`). */
const PARTS = ['cells', 'order', 'table', 'start']
