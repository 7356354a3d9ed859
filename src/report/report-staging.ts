import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { point } from '../core/kill-point.ts'
import { type PlacedFile, type Publisher, putInPlace } from './put-in-place.ts'

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

/** Gives the files that are made their names, and adds each to `files` as soon as it has its own. */
export async function placeAll(
  owner: Publisher,
  { staging, directory, names }: { staging: string; directory: string; names: readonly string[] },
  files: PlacedFile[],
): Promise<void> {
  for (const name of names) {
    await point('report:placing')
    const file = { temporary: join(staging, name), path: join(directory, name) }
    files.push(await putInPlace(owner, file))
    await point('report:placed')
  }
}
