import { DAY_MS } from '../../src/core/time/time.ts'
import { HOUR_MS } from '../base/wire-time.ts'
import type { Op } from '../protocol/apply-ops.ts'
import { recordingOfSession, sessionOfRecording } from '../protocol/links.ts'
import { bisect } from '../seed-data/calendar.ts'
import { type Day, drawer } from '../seed-data/draw-rows.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import type { RecordingPatch } from '../seed-data/state.ts'
import { fateOf, type Shelf, shelvesOf } from './recording-fates.ts'
import { recordingCount } from './recordings.ts'
import { sessionStartMs } from './sessions.ts'

/** Trashes, recovers, deletes and completes recent recordings, and adds late ones to some recent sessions. */
export function planRecordings(seedData: SeedData, day: Day): Op[] {
  const { state, sizes } = seedData
  const startOf = (index: number): number =>
    sessionStartMs(seedData, state, sessionOfRecording(seedData, state, index))
  const sinceMs = day.nowMs - 12 * DAY_MS
  const recent = {
    from: bisect(sizes.recordings, (index) => startOf(index) >= sinceMs),
    until: sizes.recordings,
  }
  const all = { from: 0, until: recordingCount(seedData, state) }
  const draw = drawer(day, 99)
  const whole = (index: number): boolean =>
    isOn(index, 'window') && Object.keys(fateOf(seedData, state, index).singly).length === 0
  const isOn = (index: number, ...wanted: Shelf[]): boolean => {
    const shelves = shelvesOf(seedData, state, { index, nowMs: day.nowMs })
    return wanted.every((shelf) => shelves.has(shelf))
  }
  const trashed = (index: number): boolean => isOn(index, 'session_recordings')
  const partly = (index: number): boolean => isOn(index, 'window', 'recording_file')
  const deletedMs = Math.floor(day.nowMs / 1000) * 1000 - HOUR_MS
  const change = (index: number, patch: RecordingPatch): Op => ({
    kind: 'recordings',
    action: 'change',
    index,
    patch,
  })
  const remove = (index: number): Op => ({ kind: 'recordings', action: 'remove', index })
  const more = (index: number): number => (state.recordings.patches.get(index)?.moreFiles ?? 0) + 1
  return [
    ...draw(recent, 0.006, whole).map((i) => change(i, { trash: 'session', deletedMs })),
    ...draw(recent, 0.004, whole).map((i) => change(i, { trash: 'file', deletedMs })),
    ...draw(recent, 0.003, trashed).map((i) => change(i, { trash: 'none' })),
    ...draw(recent, 0.003, partly).map((i) => change(i, { trash: 'none', singly: {} })),
    ...draw(recent, 0.003, whole).map(remove),
    ...draw(all, 0.0003, trashed).map(remove),
    ...draw(recent, 0.01, whole).map((i) => change(i, { moreFiles: more(i) })),
    ...planLateRecordings(seedData, day, sinceMs),
  ]
}

/** Adds late recordings, each together with its session's flag. */
function planLateRecordings(seedData: SeedData, day: Day, sinceMs: number): Op[] {
  const { state, sizes, sessionTimes } = seedData
  if (sizes.recordings === 0) return []
  const recent = { from: sessionTimes.firstAtOrAfter(sinceMs), until: sizes.sessions }
  const unrecorded = (index: number): boolean =>
    !state.sessions.gone.has(index) &&
    state.sessions.patches.get(index)?.has_recording !== true &&
    recordingOfSession(seedData, state, index) === undefined
  return drawer(day, 100)(recent, 0.002, unrecorded).flatMap((index): Op[] => [
    { kind: 'recordings', action: 'add', patch: { session: index } },
    { kind: 'sessions', action: 'change', index, patch: { has_recording: true } },
  ])
}
