import { cleanText } from '../base/clean-text.ts'
import { hash } from '../base/random.ts'
import { trueTime, wireTime } from '../base/wire-time.ts'
import { printInteger } from '../forms/print-integer.ts'
import type { SandboxCall } from '../protocol/call.ts'
import { sessionOfRecording } from '../protocol/links.ts'
import { arrayListing, type Listing } from '../protocol/listing.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import type { SeedState } from '../seed-data/state.ts'
import {
  allFilesOf,
  fateOf,
  type Place,
  placesOf,
  type Shelf,
  shelvesOf,
} from './recording-fates.ts'
import * as files from './recording-files.ts'
import { sessionAt } from './sessions.ts'

type Json = Record<string, unknown>
export type ShownFile = files.RecordingFile & { deletedMs: number | undefined }

/** A session's recording as one list shows it. */
export interface Recording {
  h: number
  session_id: string
  session_key: string | null | undefined
  session_name: string
  startMs: number
  minutes: number
  /** The size in digits: a few sizes are beyond 2^53. */
  total_size: string
  shelf: Shelf
  files: ShownFile[]
  participantFiles: files.ParticipantFile[]
}

export function recordingCount(seedData: SeedData, state: SeedState): number {
  return seedData.sizes.recordings + state.recordings.added
}

/** Returns the recording as a shelf shows it; undefined if the shelf does not show it. */
export function recordingAt(
  seedData: SeedData,
  state: SeedState,
  where: { index: number; shelf: Shelf; nowMs: number },
): Recording | undefined {
  const { index, shelf, nowMs } = where
  if (state.recordings.gone.has(index)) return undefined
  const all = allFilesOf(seedData, state, index)
  const places = placesOf(all, fateOf(seedData, state, index), nowMs)
  const shown = all.flatMap((file, n) => {
    const { shelf: own, deletedMs } = places[n] as Place // one for each file
    return own === shelf ? [{ ...file, deletedMs }] : []
  })
  if (shown.length === 0) return undefined
  const h = hash(seedData.seed, 82, index)
  const session = sessionAt(seedData, state, sessionOfRecording(seedData, state, index))
  const { startMs, seconds } = session
  const participantFiles =
    shelf === 'recording_file'
      ? []
      : files.participantFilesOf(seedData, { recording: index, h, startMs, seconds })
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
  }
}

/** Whether the host has protected the recording with a password. One recording in six has one. */
export function hasPassword({ seed }: SeedData, index: number): boolean {
  return hash(seed, 83, index) % 6 === 1
}

export interface SignedFiles {
  files: SandboxCall['files']
  serial: number
  index: number
}

/** Returns a function that makes a file's address from its list and its position in it, e.g. `p1`. */
export function addressOf({
  files: { url, seal },
  serial,
  index,
}: SignedFiles): (id: string) => string {
  return (id) => `${url}/videosdk/download/${index}.${id}?token=${String(serial)}${seal}`
}

export function recordingItem(recording: Recording, signed: SignedFiles): Json {
  const { h } = recording
  const url = addressOf(signed)
  return {
    session_id: recording.session_id,
    session_key: recording.session_key,
    session_name: recording.session_name,
    start_time: wireTime(recording.startMs, h),
    duration: recording.minutes,
    total_size: printInteger(recording.total_size),
    recording_count: recording.files.length,
    recording_files: recording.files.map((file) =>
      files.fileItem(file, url(`f${String(file.place)}`), file.deletedMs),
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

/**
 * Lists a shelf's trashed recordings, latest first. Cached per state, because finding them reads every one.
 */
export function trashListing(
  seedData: SeedData,
  state: SeedState,
  where: { shelf: Shelf; nowMs: number },
): Listing {
  const kept = TRASH_LISTS.get(state) ?? new Map<string, Listing>()
  TRASH_LISTS.set(state, kept)
  const name = `${where.shelf} ${String(where.nowMs)}`
  const known = kept.get(name)
  if (known !== undefined) return known
  const indexes: number[] = []
  for (let index = recordingCount(seedData, state) - 1; index >= 0; index--)
    if (shelvesOf(seedData, state, { index, nowMs: where.nowMs }).has(where.shelf))
      indexes.push(index)
  const listing = arrayListing(Int32Array.from(indexes))
  kept.clear()
  kept.set(name, listing)
  return listing
}

function totalSize(h: number, shown: readonly files.RecordingFile[]): string {
  // An odd number beyond 2^53, which no double can represent.
  if (h % 400 === 7) return String(2n ** 53n + BigInt(h))
  let sum = 0
  for (const { id, file_size } of shown) if (id !== undefined) sum += file_size
  return String(sum)
}

const TRASH_LISTS = new WeakMap<SeedState, Map<string, Listing>>()
