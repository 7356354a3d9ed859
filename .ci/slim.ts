import { globSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Takes out of `node_modules` what no installation needs of the libraries that the package brings along:
 * source maps, and what is built for browsers. npm packs bundled libraries whole otherwise, and `npm ci`
 * brings it back.
 */
export function slim(root: string): string[] {
  const cwd = join(root, 'node_modules')
  const gone = NEEDLESS.flatMap((pattern) => globSync(pattern, { cwd }))
  for (const path of gone) rmSync(join(cwd, path), { recursive: true, force: true })
  return gone
}

/** The libraries that come with exceljs, by their places in `node_modules`. */
const NEEDLESS = [
  'exceljs/dist',
  'exceljs/README_zh.md',
  'jszip/dist',
  'pako/dist',
  'bluebird/js/browser',
  'uuid/dist/{umd,esm-browser}',
  '{exceljs,@fast-csv,fast-csv,jszip,pako,async,uuid,dayjs,saxes,xmlchars}/**/*.map',
]

if (import.meta.main) slim(join(import.meta.dirname, '..'))
