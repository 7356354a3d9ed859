import { randomUUID } from 'node:crypto'
import { rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

/**
 * Writes and removes a small file in each folder, or in its nearest existing parent, because access rights do
 * not show whether a disk is full or read-only. Throws the system's error.
 */
export async function tryFolders(paths: readonly string[]): Promise<void> {
  for (const path of paths) await tryOne(path)
}

async function tryOne(path: string): Promise<void> {
  const trial = join(await nearest(resolve(path)), `.trial-${randomUUID()}`)
  try {
    await writeFile(trial, 'trial', { flag: 'wx', mode: 0o600 })
  } finally {
    await rm(trial, { force: true })
  }
}

async function nearest(path: string): Promise<string> {
  try {
    await stat(path)
    return path
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || path === dirname(path)) throw error
    return await nearest(dirname(path))
  }
}
