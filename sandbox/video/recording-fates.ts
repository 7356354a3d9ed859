import { DAY_MS } from '../../src/core/time/time.ts'
import { hash } from '../base/random.ts'
import { HOUR_MS } from '../base/wire-time.ts'
import { sessionOfRecording } from '../protocol/links.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import type { SeedState } from '../seed-data/state.ts'
import { filesOf, type RecordingFile } from './recording-files.ts'
import { sessionAt, sessionStartMs } from './sessions.ts'

/** The list that shows a recording: its window, the trash of whole sessions, or the trash of single files. */
export type Shelf = 'window' | 'session_recordings' | 'recording_file'

/** When the session, or single files of it, were trashed. */
export interface Fate {
  wholeMs: number | undefined
  /** When each file was trashed, by ID. */
  singly: Readonly<Record<string, number>>
}

/** The list that shows a file, and when the file was moved to the trash. A deleted file has no shelf. */
export interface Place {
  shelf: Shelf | undefined
  deletedMs: number | undefined
}

/** Returns all present and former files of a recording. */
export function allFilesOf(seedData: SeedData, state: SeedState, index: number): RecordingFile[] {
  const h = hash(seedData.seed, 82, index)
  const { startMs, seconds } = sessionAt(
    seedData,
    state,
    sessionOfRecording(seedData, state, index),
  )
  const moreFiles = (h % 3 === 0 ? 1 : 0) + (state.recordings.patches.get(index)?.moreFiles ?? 0)
  return filesOf(seedData, { recording: index, h, startMs, seconds, moreFiles })
}

/**
 * Returns a recording's fate. Initially one recording in 100 is in the trash as a whole; about one in 90 has
 * only its last file there, and one in 300 every single file.
 */
export function fateOf(seedData: SeedData, state: SeedState, index: number): Fate {
  const patch = state.recordings.patches.get(index)
  const h = hash(seedData.seed, 81, index)
  const base =
    h % 100 === 13 ? 'session' : h % 90 === 7 ? 'file' : h % 300 === 9 ? 'every-file' : 'none'
  const trash = patch?.trash ?? (index >= seedData.sizes.recordings ? 'none' : base)
  const singly = patch?.singly ?? {}
  if (trash === 'none') return { wholeMs: undefined, singly }
  const startMs = sessionStartMs(seedData, state, sessionOfRecording(seedData, state, index))
  const deletedMs =
    patch?.deletedMs ??
    Math.max(startMs + 4 * HOUR_MS, seedData.originMs - ((h >>> 9) % 29) * DAY_MS - HOUR_MS)
  if (trash === 'session') return { wholeMs: deletedMs, singly }
  const named = allFilesOf(seedData, state, index).flatMap(({ id }) => id ?? [])
  const trashed = trash === 'file' ? named.slice(-1) : named
  return {
    wholeMs: undefined,
    singly: { ...Object.fromEntries(trashed.map((id) => [id, deletedMs])), ...singly },
  }
}

/**
 * Returns the place of each file. A file without an ID cannot be trashed singly: it is trashed with the last
 * file that has an ID.
 */
export function placesOf(files: readonly RecordingFile[], fate: Fate, nowMs: number): Place[] {
  const named = files.flatMap(({ id }) => (id === undefined ? [] : [fate.singly[id]]))
  const trashed = named.filter((ms) => ms !== undefined)
  const last = trashed.length === named.length ? Math.max(...trashed) : undefined
  return files.map(({ id }) => {
    const singlyMs = id === undefined ? last : fate.singly[id]
    const deletedMs = singlyMs ?? fate.wholeMs
    if (deletedMs === undefined) return { shelf: 'window', deletedMs }
    // A file that was trashed more than 30 days ago is deleted and cannot be recovered.
    if (nowMs > deletedMs + RECOVERY_MS) return { shelf: undefined, deletedMs }
    return { shelf: singlyMs === undefined ? 'session_recordings' : 'recording_file', deletedMs }
  })
}

/** Returns the shelves that show a recording; none if it is deleted. */
export function shelvesOf(
  seedData: SeedData,
  state: SeedState,
  { index, nowMs }: { index: number; nowMs: number },
): ReadonlySet<Shelf> {
  if (state.recordings.gone.has(index)) return new Set()
  const fate = fateOf(seedData, state, index)
  const whole = Object.keys(fate.singly).length === 0
  const files = whole ? [ANY_FILE] : allFilesOf(seedData, state, index)
  const shelves = placesOf(files, fate, nowMs).map(({ shelf }) => shelf)
  return new Set(shelves.filter((shelf) => shelf !== undefined))
}

export const RECOVERY_MS = 30 * DAY_MS

/** A time of trashing so early that the file counts as deleted. */
export const FOR_GOOD = 0

/** Stands for all files of a recording: if no file was trashed singly, all are in the same place. */
const ANY_FILE = { id: '' } as RecordingFile
