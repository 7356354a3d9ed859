import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs'
import { whyNotOpened } from './unopened-file.ts'

/** The error of a file that we refuse to read although the system permits it, with the reason. */
export class UnfitFile extends Error {}

/**
 * Reads a regular file of at most `maxBytes`, directly or behind a link. Refuses devices and pipes before it
 * opens them: a device may have no end, and opening a pipe may block the process, so that it ignores signals.
 * System errors are thrown unchanged.
 */
export function readSmallFile(path: string, maxBytes: number): Buffer {
  refuseOthers(statSync(path))
  // Does not block, even if a pipe has replaced the file meanwhile.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    refuseOthers(fstatSync(file))
    const bytes = Buffer.alloc(maxBytes + 1)
    let filled = 0
    for (let read = -1; read !== 0 && filled < bytes.length; filled += read)
      read = readSync(file, bytes, filled, bytes.length - filled, null)
    if (filled > maxBytes) throw new UnfitFile(`the file is larger than ${maxBytes} bytes`)
    return bytes.subarray(0, filled)
  } finally {
    closeSync(file)
  }
}

export function whyNotRead(error: unknown): string {
  if (error instanceof UnfitFile) return error.message
  const { code = 'error' } = error as NodeJS.ErrnoException
  return whyNotOpened(error) ?? `the system reports ${code}`
}

/** Refuses all but regular files. Call it before opening the file: opening a pipe may block forever. */
export function refuseOthers(stats: Stats): void {
  if (!stats.isFile()) throw new UnfitFile(`the file is ${kindOf(stats)}, not a regular file`)
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder'
  if (stats.isFIFO()) return 'a pipe'
  return stats.isSocket() ? 'a socket' : 'a device'
}

/** The maximum size of a file with a secret or a key. */
export const MOST_SECRET_BYTES = 2 ** 16
/** The maximum size of the configuration and of certificates that it names. */
export const MOST_SETTINGS_BYTES = 2 ** 20
export const REGULAR_FILE = `a regular file of at most ${MOST_SETTINGS_BYTES} bytes`
