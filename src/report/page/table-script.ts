import { readFileSync } from 'node:fs'
import { formatScript } from '../files/format-script.ts'

/** Returns the page's only script: it shows all rows of the tables, and sorts, filters and searches them. */
export function pageScript(): string {
  const texts = PARTS.map((name) =>
    readFileSync(new URL(`./browser/${name}.js`, import.meta.url), 'utf8'),
  )
  return `(() => {\n'use strict'\n${[formatScript(), ...texts].join('\n')}})()\n`
}

/** The script's parts in order. The package contains these files too (`rolldown.config.ts`). */
const PARTS = ['cells', 'order', 'table', 'start']
