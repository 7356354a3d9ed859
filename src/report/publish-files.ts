import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { point } from '../core/kill-point.ts'
import { DAY_MS } from '../core/time/time.ts'
import type { Transaction, Warehouse } from '../warehouse/connect.ts'
import { erasuresSoFar, noneErasedSince } from '../warehouse/keep-out/erasure-locks.ts'
import { now } from '../warehouse/schema/expressions.ts'
import { type PlacedFile, type Publisher, putInPlace } from './put-in-place.ts'
import { makeReportDirectory, reportFileError, withdrawFiles } from './report-directory.ts'

export interface Publication<Made> {
  account: string
  /**
   * The folder, created if missing. Callsheet's own files with equal names are replaced, each in one step.
   */
  directory: string
  /** Writes files into the folder that `stage` creates, from one snapshot. */
  make(tx: Transaction, stage: Stage): Promise<Made & { names: readonly string[] }>
  /** Adds files to the folder after the snapshot is released, and returns their names. */
  complete?(made: Made, staging: string): Promise<readonly string[]>
  /** Makes the record of the files. */
  entry(made: Made): PublishedEntry
}

/** Creates an empty folder, named after the files, and returns its path. */
export type Stage = (name: string) => Promise<string>

export interface PublishedEntry {
  report: string
  params: Readonly<Record<string, unknown>>
  /** The inputs for making the files again after an erasure. */
  asked: MadeFrom
  asOfMs: number
  runIds: readonly number[]
}

export interface MadeFrom {
  timeZone?: string | undefined
  endedByMs?: number | undefined
  sinceMs?: number | undefined
}

/**
 * Makes files and records them as published, so that an erasure finds them. The files get their final names
 * after all of them are written. If a person is erased in the meantime, the files are removed.
 */
export async function publishFiles<Made extends object>(
  warehouse: Pick<Warehouse, 'transaction'>,
  { account, directory, make, complete, entry }: Publication<Made>,
): Promise<{ made: Made; files: PlacedFile[] }> {
  await makeReportDirectory(directory)
  let staging: string | undefined
  let begun: string | undefined
  const files: PlacedFile[] = []
  const stage = async (name: string): Promise<string> => {
    // If the transaction is repeated, the files are created again.
    if (staging !== undefined) await discardStaging(staging)
    staging = await emptyStaging(directory, name)
    await point('report:staged')
    return staging
  }
  try {
    const { made, mark } = await warehouse.transaction(
      async (tx) => {
        begun = await erasuresSoFar(tx, account)
        return { made: await make(tx, stage), mark: begun }
      },
      { snapshot: true, keeps: true },
    )
    const names = [...made.names, ...((await complete?.(made, staging ?? '')) ?? [])]
    // Stores absolute paths: readers of the record may work in another folder.
    const place = { staging: staging ?? '', names, directory: resolve(directory) }
    await placeAll({ warehouse, account }, place, files)
    await point('report:recording')
    const recorded = { account, files, mark, ...entry(made) }
    if (!(await warehouse.transaction((tx) => record(tx, recorded))))
      throw await withdrawFiles(files)
    await point('report:recorded')
    return { made, files }
  } catch (error) {
    // Reports an erasure instead of the error: an erasure removes staged files, so it may be the cause.
    const mark = begun
    const stands =
      mark === undefined ||
      (await warehouse.transaction((tx) => noneErasedSince(tx, account, mark)))
    throw stands ? reportFileError(error, directory) : await withdrawFiles(files)
  } finally {
    if (staging !== undefined) await discardStaging(staging)
  }
}

/** Records the files; returns false, and records nothing, if a person was erased since the data was read. */
async function record(
  tx: Transaction,
  recorded: PublishedEntry & { account: string; files: readonly PlacedFile[]; mark: string },
): Promise<boolean> {
  const { account, report, params, asked, asOfMs, runIds, files, mark } = recorded
  if (!(await noneErasedSince(tx, account, mark))) return false
  await tx
    .insertInto('callsheet.published_reports')
    .values({
      account,
      report,
      params: JSON.stringify(params),
      as_of: new Date(asOfMs).toISOString(),
      run_ids: [...runIds],
      published_at: now,
      files: JSON.stringify(files),
      asked: JSON.stringify(asked),
    })
    .execute()
  return true
}

/**
 * Creates an empty folder for one publication, named after the files. Removes folders of this name that
 * killed processes left: nothing in them has changed for a day. Newer ones may still be in use.
 */
export async function emptyStaging(directory: string, name: string): Promise<string> {
  const start = `.${name}${STAGING}`
  const staging = await mkdtemp(join(directory, start))
  // Compares only times that the disk set: the disk may belong to another machine with another clock.
  const { mtimeMs: createdMs } = await stat(staging)
  for (const entry of await namesIn(directory)) {
    const path = join(directory, entry)
    if (entry.startsWith(start) && createdMs - (await lastChangeMs(path)) > LEFT_AFTER_MS)
      await discardStaging(path)
  }
  return staging
}

/** Returns none if the folder cannot be read, e.g. with too many open files: the next call cleans up. */
async function namesIn(directory: string): Promise<string[]> {
  return await readdir(directory).catch(() => [])
}

/** Returns true for the name of a folder in which files are made before they are published. */
export function isStaging(name: string): boolean {
  return name.startsWith('.') && name.includes(STAGING)
}

/** Returns when the folder or a file in it last changed; Infinity if it was removed or cannot be read. */
async function lastChangeMs(folder: string): Promise<number> {
  try {
    const names = await readdir(folder)
    const all = await Promise.all(
      [folder, ...names.map((name) => join(folder, name))].map((path) => stat(path)),
    )
    return Math.max(...all.map(({ mtimeMs }) => mtimeMs))
  } catch {
    return Infinity
  }
}

/**
 * Removes the folder. Ignores an error (e.g. because too many files are open), so that the original failure
 * stays visible. A publication of this name at least a day later removes the folder.
 */
export async function discardStaging(staging: string): Promise<void> {
  await rm(staging, { recursive: true, force: true }).catch(() => undefined)
}

/** Gives the files their final names, and adds each to `files` once it has its name. */
async function placeAll(
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

/** The part of a staging folder's name between the files' name and the characters that make it unique. */
const STAGING = '.publishing-'
const LEFT_AFTER_MS = DAY_MS
