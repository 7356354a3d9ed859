import { hash } from '../base/random.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import type { SeedState } from '../seed-data/state.ts'

/**
 * Returns the session of a recording. Sessions are divided into as many equal ranges as there are recordings,
 * and one session of each range was recorded, so recordings are in the same order as their sessions.
 */
export function sessionOfRecording(
  seedData: SeedData,
  state: SeedState,
  recording: number,
): number {
  const added = state.recordings.patches.get(recording)?.session
  if (added !== undefined) return added
  const first = stretchStart(seedData, recording)
  const width = Math.max(1, stretchStart(seedData, recording + 1) - first)
  return first + (hash(seedData.seed, 0x11, recording) % width)
}

/** Returns the base recording of a base session, if it was recorded. */
export function recordingOfSession(
  seedData: SeedData,
  state: SeedState,
  session: number,
): number | undefined {
  const { sessions, recordings } = seedData.sizes
  if (recordings === 0 || session >= sessions) return undefined
  const guess = Math.floor((session * recordings) / sessions)
  for (const recording of [guess, guess + 1])
    if (recording < recordings && sessionOfRecording(seedData, state, recording) === session)
      return recording
  return undefined
}

/** Returns the index of the recording of the session with this ID: an added one before a base one. */
export function recordingOfSessionId(seedData: SeedData, id: string): number | undefined {
  const { state, sizes } = seedData
  const session = seedData.ids.sessions.indexOf(id)
  if (session === undefined) return undefined
  for (let index = sizes.recordings; index < sizes.recordings + state.recordings.added; index++)
    if (state.recordings.patches.get(index)?.session === session) return index
  return recordingOfSession(seedData, state, session)
}

function stretchStart(seedData: SeedData, recording: number): number {
  return Math.floor((recording * seedData.sizes.sessions) / seedData.sizes.recordings)
}
