import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { point } from '../../core/point.ts'

export interface PlacedFile {
  bytes: number
  sha256: string
}

/** Gives a file that is whole and flushed its name, for good, and answers what it holds. */
export async function putInPlace(temporary: string, path: string): Promise<PlacedFile> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const piece of createReadStream(temporary)) {
    hash.update(piece as Buffer)
    bytes += (piece as Buffer).length
  }
  await point('file:synced')
  await rename(temporary, path)
  const folder = await open(dirname(path))
  await folder.sync()
  await folder.close()
  await point('file:renamed')
  return { bytes, sha256: hash.digest('hex') }
}
