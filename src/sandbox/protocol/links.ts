import { hash } from '../base/random.ts'
import type { Company } from '../company/company.ts'
import type { State } from '../company/state.ts'

/**
 * Which session a recording belongs to: the sessions are cut into as many equal stretches as there are
 * recordings, and one session of each stretch was recorded. So recordings follow their sessions' order in
 * time.
 */
export function sessionOfRecording(company: Company, state: State, recording: number): number {
  const added = state.recordings.patches.get(recording)?.session
  if (added !== undefined) return added
  const first = stretchStart(company, recording)
  const width = Math.max(1, stretchStart(company, recording + 1) - first)
  return first + (hash(company.seed, 0x11, recording) % width)
}

/** The base recording of a base session, if it was recorded. */
export function recordingOfSession(
  company: Company,
  state: State,
  session: number,
): number | undefined {
  const { sessions, recordings } = company.sizes
  if (recordings === 0 || session >= sessions) return undefined
  const guess = Math.floor((session * recordings) / sessions)
  for (const recording of [guess, guess + 1])
    if (recording < recordings && sessionOfRecording(company, state, recording) === session)
      return recording
  return undefined
}

/** The recording of the session of this ID, wherever it is now; an added one comes before a base one. */
export function recordingOfSessionId(company: Company, id: string): number | undefined {
  const { state, sizes } = company
  const session = company.ids.sessions.indexOf(id)
  if (session === undefined) return undefined
  for (let index = sizes.recordings; index < sizes.recordings + state.recordings.added; index++)
    if (state.recordings.patches.get(index)?.session === session) return index
  return recordingOfSession(company, state, session)
}

function stretchStart(company: Company, recording: number): number {
  return Math.floor((recording * company.sizes.sessions) / company.sizes.recordings)
}
