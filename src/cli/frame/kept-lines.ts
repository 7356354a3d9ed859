import { isAbsolute, relative } from 'node:path'
import type { PlacedFile } from '../../report/put-in-place.ts'

/** Explains which files got another name because theirs was taken. */
export function keptLines(files: readonly PlacedFile[]): string[] {
  return files.flatMap(({ path, kept }) =>
    kept === undefined
      ? []
      : [
          `${fromHere(kept)} may have been edited since Callsheet wrote it, so it stays unchanged; ` +
            `the new file is ${fromHere(path)}`,
        ],
  )
}

/** Returns the path relative to the working directory if the file is inside it, otherwise the full path. */
export function fromHere(path: string): string {
  const short = relative('.', path)
  return short.startsWith('..') || isAbsolute(short) ? path : short
}
