import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { point } from '../core/point.ts'

export interface PublishedFile {
  path: string
  bytes: number
  sha256: string
}

/** Its name is the files', so that what a killed process left is cleared away by the next. */
export async function emptyStaging(directory: string, name: string): Promise<string> {
  const staging = join(directory, `.${name}.publishing`)
  await rm(staging, { recursive: true, force: true })
  await mkdir(staging, { mode: 0o700 })
  return staging
}

/**
 * What cannot be cleared away now (no more files may be opened) goes with the next publication of the same
 * name; it must not hide why this one failed.
 */
export async function discard(staging: string): Promise<void> {
  await rm(staging, { recursive: true, force: true }).catch(() => undefined)
}

export async function putInPlace(
  staging: string,
  directory: string,
  names: readonly string[],
): Promise<PublishedFile[]> {
  const files: PublishedFile[] = []
  for (const name of names) {
    const path = join(directory, name)
    const content = await readFile(join(staging, name))
    const sha256 = createHash('sha256').update(content).digest('hex')
    await point('report:placing')
    await rename(join(staging, name), path)
    await point('report:placed')
    files.push({ path, bytes: content.length, sha256 })
  }
  return files
}
