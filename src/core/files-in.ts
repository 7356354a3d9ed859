import { readdirSync } from 'node:fs'
import { basename, extname } from 'node:path'

/** Returns the URLs of a folder's modules by name. Built programs have the folder too. */
export function filesIn(folder: string): ReadonlyMap<string, string> {
  const place = new URL(`${folder}/`, ROOT)
  const files = readdirSync(place).filter((file) => extname(file) === EXTENSION)
  return new Map(
    files.toSorted().map((file) => [basename(file, EXTENSION), new URL(file, place).href]),
  )
}

const EXTENSION = extname(import.meta.url)
const ROOT = new URL(EXTENSION === '.ts' ? '../../' : './', import.meta.url)
