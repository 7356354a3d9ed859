import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, lstat, unlink } from 'node:fs/promises'
import { dirname, isAbsolute, resolve } from 'node:path'
import { type Claim, claimsOn, type RecordedFile } from '../report/published-reports.ts'
import { flushFolder } from '../store/dirty-folders.ts'
import type { Warehouse } from '../warehouse/connect.ts'
import { type FileFaults, isNotThere, systemCode } from './report-faults.ts'
import { fileNames } from './search/find-in-file.ts'

export interface ErasedReports {
  /** Publications that named the person, in their parameters or in a file. */
  reports: number
  files: number
  bytes: number
  /** Files of these publications that were absent already: moved, passed on or deleted. */
  absent: number
  /** The paths of the removed files. */
  paths: string[]
}

/** What one erasure of reports needs, and what it has found and done so far. */
export interface ReportSearch {
  warehouse: Pick<Warehouse, 'db' | 'transaction'>
  signal: AbortSignal
  account: string
  needles: readonly string[]
  /** Whether a parameter names the person. */
  named: (text: string) => boolean
  dryRun: boolean
  directory: string | undefined
  erased: ErasedReports
  /** By path: all publications that put a file there, for the current lot of publications. */
  claims: Map<string, Claim[]>
  /** By absolute path: the state that was found. */
  names: Map<string, ReportFileState>
  /** Absolute paths of files that were removed, or would be in a dry run. */
  gone: Set<string>
  /** The folders that reports were published to. */
  folders: Set<string>
  faults: FileFaults
}

/** `foreign`: another account's publication lies there. `unread`: the system denied reading it. */
export type ReportFileState = 'names' | 'silent' | 'absent' | 'foreign' | 'unread' | 'gone'

export interface LookedAt {
  file: RecordedFile
  place: string
  state: ReportFileState
}

/** Reads which publications put these files there, for many at once: each query reads the whole table. */
export async function readClaims(
  looking: ReportSearch,
  files: readonly RecordedFile[],
): Promise<void> {
  const paths = new Set<string>()
  for (const { path } of files) paths.add(path).add(await placeOf(looking, path))
  const claims = await claimsOn(looking.warehouse.db, [...paths])
  looking.claims = Map.groupBy(claims, ({ path }) => path)
}

export async function lookAt(looking: ReportSearch, file: RecordedFile): Promise<LookedAt> {
  const place = await placeOf(looking, file.path)
  looking.folders.add(dirname(place))
  if (looking.gone.has(place)) return { file, place, state: 'gone' }
  let state = looking.names.get(place)
  if (state === undefined) {
    state = await stateOf(looking, { file, place })
    if (looking.names.size >= MOST_REMEMBERED) looking.names.clear()
    looking.names.set(place, state)
  }
  return { file, place, state }
}

/**
 * Whether the file at the path is not this publication's: it is another account's, or it does not name the
 * person and a later publication wrote it.
 */
export async function isOfAnother(
  looking: ReportSearch,
  id: number,
  { file, place, state }: LookedAt,
): Promise<boolean> {
  if (state !== 'silent') return state === 'foreign'
  const [owner] = await ownersOf(looking, { file, place }).catch((error: unknown) => {
    // It was deleted meanwhile, or cannot be read: then `remove` finds that out.
    systemCode(error)
    return []
  })
  return owner !== undefined && owner.id !== id
}

/** Removes the file, flushes its folder and counts it. Returns false if the system denies it. */
export async function remove(looking: ReportSearch, { place, state }: LookedAt): Promise<boolean> {
  const { erased, gone, faults, dryRun } = looking
  if (state === 'gone') return true
  try {
    const { size } = await lstat(place)
    if (!dryRun) await unlinkForGood(place)
    erased.files++
    erased.bytes += size
    erased.paths.push(place)
    gone.add(place)
  } catch (error) {
    const code = systemCode(error)
    if (!isNotThere(code)) {
      faults.set(place, code)
      return false
    }
    erased.absent++
  }
  faults.delete(place)
  return true
}

export async function unlinkForGood(place: string): Promise<void> {
  await unlink(place)
  await flushFolder(dirname(place))
}

async function stateOf(
  looking: ReportSearch,
  at: { file: RecordedFile; place: string },
): Promise<ReportFileState> {
  try {
    if (!(await fileNames(at.place, looking.needles))) return 'silent'
    // Two accounts may publish identical tables. Then the newer publication owns the file.
    const [owner] = await ownersOf(looking, at)
    return owner !== undefined && owner.account !== looking.account ? 'foreign' : 'names'
  } catch (error) {
    const code = systemCode(error)
    if (isNotThere(code)) return 'absent'
    looking.faults.set(at.place, code)
    return 'unread'
  }
}

/** The publications that wrote the present file, newest first. Empty if the file was edited. */
async function ownersOf(
  { claims }: ReportSearch,
  { file, place }: { file: RecordedFile; place: string },
): Promise<Claim[]> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(place)) hash.update(piece as Buffer)
  const digest = hash.digest('hex')
  const paths = [...new Set([file.path, place])]
  const owners = paths.flatMap((path) => claims.get(path) ?? [])
  return owners.filter(({ sha256 }) => sha256 === digest).toSorted((a, b) => b.id - a.id)
}

/** Early publications were recorded with the path as it was given, and exports with their name alone. */
async function placeOf({ directory }: ReportSearch, path: string): Promise<string> {
  if (isAbsolute(path) || directory === undefined) return resolve(path)
  const here = await access(path).then(
    () => true,
    () => false,
  )
  return here ? resolve(path) : resolve(directory, path)
}

const MOST_REMEMBERED = 20_000
