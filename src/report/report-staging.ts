import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { point } from '../core/kill-point.ts'
import { type PlacedFile, type Publisher, putInPlace } from './put-in-place.ts'

/** Named after the files, so that the next publication removes leftovers of a killed process. */
export async function emptyStaging(directory: string, name: string): Promise<string> {
  const staging = join(directory, `.${name}.publishing`)
  await rm(staging, { recursive: true, force: true })
  await mkdir(staging, { mode: 0o700 })
  return staging
}

/**
 * If it cannot be removed now (e.g. too many open files), the next publication of the same name removes it;
 * the error must not hide the original failure.
 */
export async function discard(staging: string): Promise<void> {
  await rm(staging, { recursive: true, force: true }).catch(() => undefined)
}

/** Gives the files their final names, and adds each to `files` once it has its name. */
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
