import { readFileSync } from 'node:fs'

/** Returns the code of `format-cell.js` without `export`, because a page's script is not a module. */
export function formatScript(): string {
  const url = new URL('./browser/format-cell.js', import.meta.url)
  return readFileSync(url, 'utf8').replaceAll(/^export /gm, '')
}
