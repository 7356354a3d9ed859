import { DAY_MS } from '../core/time.ts'
import { cleanText } from './clean-text.ts'
import type { Company } from './company.ts'
import { sessionOfRecording } from './links.ts'
import { arrayListing, type Listing } from './listing.ts'
import { hash } from './random.ts'
import * as files from './recording-files.ts'
import type { RecordingPatch, State } from './state.ts'
import { sessionAt, sessionStartMs } from './sessions.ts'
import { HOUR_MS, trueTime, wireTime } from './wire-time.ts'

type Json = Record<string, unknown>
export type Fate = NonNullable<RecordingPatch['trash']> | 'file-purged' | 'gone'
/** Which list shows it: its window, the trash of whole sessions, or the trash of single files. */
export type Shelf = 'window' | 'session_recordings' | 'recording_file'

/** A session's recordings as one list shows them. */
export interface Recording {
  h: number
  session_id: string
  session_key: string | null | undefined
  session_name: string
  startMs: number
  minutes: number
  /** Digits: a few pass 2^53. */
  total_size: string
  shelf: Shelf
  files: files.RecordingFile[]
  participantFiles: files.ParticipantFile[]
  deletedMs: number | undefined
}

export function recordingCount(company: Company, state: State): number {
  return company.sizes.recordings + state.recordings.added
}

/** What became of it: in the trash whole, one file of it, every file singly; or not there at all any more. */
export function fateOf(
  company: Company,
  state: State,
  { index, nowMs }: { index: number; nowMs: number },
): { trash: Fate; deletedMs: number } {
  if (state.recordings.gone.has(index)) return { trash: 'gone', deletedMs: 0 }
  const patch = state.recordings.patches.get(index)
  const h = hash(company.seed, 81, index)
  const base =
    h % 100 === 13 ? 'session' : h % 90 === 7 ? 'file' : h % 300 === 9 ? 'every-file' : 'none'
  const trash =
    index >= company.sizes.recordings ? (patch?.trash ?? 'none') : (patch?.trash ?? base)
  if (trash === 'none') return { trash, deletedMs: 0 }
  const startMs = sessionStartMs(company, state, sessionOfRecording(company, state, index))
  const deletedMs =
    patch?.deletedMs ??
    Math.max(startMs + 4 * HOUR_MS, company.originMs - ((h >>> 9) % 29) * DAY_MS - HOUR_MS)
  // After 30 days what is in the trash cannot be recovered: it is gone.
  if (nowMs <= deletedMs + 30 * DAY_MS) return { trash, deletedMs }
  return { trash: trash === 'file' ? 'file-purged' : 'gone', deletedMs }
}

/** The recording as a shelf shows it, or undefined when it is not on that shelf. */
export function recordingAt(
  company: Company,
  state: State,
  where: { index: number; shelf: Shelf; nowMs: number },
): Recording | undefined {
  const { index, shelf } = where
  const { trash, deletedMs } = fateOf(company, state, where)
  if (!SHELVES[trash].includes(shelf)) return undefined
  const h = hash(company.seed, 82, index)
  const sessionIndex = sessionOfRecording(company, state, index)
  const session = sessionAt(company, state, sessionIndex)
  const { startMs, seconds } = session
  const moreFiles = (h % 3 === 0 ? 1 : 0) + (state.recordings.patches.get(index)?.moreFiles ?? 0)
  const all = files.filesOf(company, { recording: index, h, startMs, seconds, moreFiles })
  const single = trash.startsWith('file') ? all.findLastIndex(({ id }) => id !== undefined) : -1
  const shown = all.filter((_, n) => single < 0 || (n === single) === (shelf === 'recording_file'))
  const participantFiles =
    shelf === 'recording_file'
      ? []
      : files.participantFilesOf(company, { recording: index, h, startMs, seconds })
  return {
    h,
    session_id: session.id,
    session_key: session.session_key,
    session_name: session.session_name,
    startMs,
    minutes: Math.ceil(seconds / 60),
    total_size: totalSize(h, [...shown, ...participantFiles]),
    shelf,
    files: shown,
    participantFiles,
    deletedMs: shelf === 'window' ? undefined : deletedMs,
  }
}

export function recordingItem(
  recording: Recording,
  signed: { baseUrl: string; serial: number; index: number },
): Json {
  const { h, deletedMs } = recording
  const url = (id: string): string =>
    `${signed.baseUrl}/videosdk/download/${signed.index}.${id}?token=${String(signed.serial)}`
  return {
    session_id: recording.session_id,
    session_key: recording.session_key,
    session_name: recording.session_name,
    start_time: wireTime(recording.startMs, h),
    duration: recording.minutes,
    total_size: printInteger(recording.total_size),
    recording_count: recording.files.length,
    recording_files: recording.files.map((file, n) =>
      files.fileItem(file, url(`f${String(n)}`), deletedMs),
    ),
    ...(recording.participantFiles.length === 0
      ? {}
      : {
          participant_video_files: recording.participantFiles.map((file, n) =>
            files.participantFileItem(file, url(`p${String(n)}`)),
          ),
        }),
  }
}

export function recordingTruth(recording: Recording): Json {
  return {
    session_id: recording.session_id,
    session_key: recording.session_key ?? null,
    session_name: cleanText(recording.session_name),
    start_time: trueTime(recording.startMs, recording.h),
    duration: String(recording.minutes),
    total_size: recording.total_size,
    recording_count: String(recording.files.length),
    trashed: recording.shelf !== 'window',
  }
}

/** All that is in a trash, latest first. Kept per state: finding it looks at every recording. */
export function trashListing(
  company: Company,
  state: State,
  where: { shelf: Shelf; nowMs: number },
): Listing {
  const kept = TRASH_LISTS.get(state) ?? new Map<string, Listing>()
  TRASH_LISTS.set(state, kept)
  const name = `${where.shelf} ${String(where.nowMs)}`
  const known = kept.get(name)
  if (known !== undefined) return known
  const indexes: number[] = []
  for (let index = recordingCount(company, state) - 1; index >= 0; index--)
    if (SHELVES[fateOf(company, state, { index, nowMs: where.nowMs }).trash].includes(where.shelf))
      indexes.push(index)
  const listing = arrayListing(Int32Array.from(indexes))
  kept.clear()
  kept.set(name, listing)
  return listing
}

function totalSize(h: number, shown: readonly files.RecordingFile[]): string {
  // An odd number past 2^53, which no double can hold.
  if (h % 400 === 7) return String(2n ** 53n + BigInt(h))
  let sum = 0
  for (const { id, file_size } of shown) if (id !== undefined) sum += file_size
  return String(sum)
}

/** Integers past 2^53 are printed digit by digit. */
function printInteger(digits: string): unknown {
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }
  return Number.isSafeInteger(Number(digits)) ? Number(digits) : rawJSON(digits)
}

const SHELVES: Readonly<Record<Fate, readonly Shelf[]>> = {
  none: ['window'],
  file: ['window', 'recording_file'],
  'file-purged': ['window'],
  session: ['session_recordings'],
  'every-file': ['recording_file'],
  gone: [],
}
const TRASH_LISTS = new WeakMap<State, Map<string, Listing>>()
