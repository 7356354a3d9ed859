import { isAbsolute, relative } from 'node:path'
import type { PlacedFile } from '../../report/put-in-place.ts'

/** What is to be said where a file did not get its name, since another has it. */
export function keptLines(files: readonly PlacedFile[]): string[] {
  return files.flatMap(({ path, kept }) =>
    kept === undefined
      ? []
      : [
          `${fromHere(kept)} is not, or not known to be, as Callsheet wrote it, and stays as it is; ` +
            `the new one is ${fromHere(path)}`,
        ],
  )
}

/** From here where that is shorter. */
export function fromHere(path: string): string {
  const short = relative('.', path)
  return short.startsWith('..') || isAbsolute(short) ? path : short
}
