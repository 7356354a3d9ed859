import { close, fstatSync, openSync, read } from 'node:fs'
import { promisify } from 'node:util'
import type { BundleSource } from '../proof/source.ts'

/** A file that is open for reading. */
export interface BundleFile extends BundleSource {
  close(): Promise<void>
}

export function openBundleFile(path: string): BundleFile {
  const fd = openSync(path, 'r')
  const { size } = fstatSync(fd)
  return {
    size,
    async read(from, to, spare = new ArrayBuffer(to - from)) {
      const into = new Uint8Array(spare, 0, Math.min(to - from, spare.byteLength))
      const { bytesRead } = await readAsync(fd, into, 0, into.length, from)
      return into.subarray(0, bytesRead)
    },
    close: () => closeAsync(fd),
  }
}

const readAsync = promisify(read)
const closeAsync = promisify(close)
