import { readFileSync } from 'node:fs'

/** Returns `format-cell.js` as a part of a page's script, which is not a module. */
export function formatScript(): string {
  const url = new URL('./browser/format-cell.js', import.meta.url)
  return readFileSync(url, 'utf8').replaceAll(/^export /gm, '')
}
