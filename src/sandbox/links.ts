import type { Company } from './company.ts'
import { hash } from './random.ts'
import type { State } from './state.ts'

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

function stretchStart(company: Company, recording: number): number {
  return Math.floor((recording * company.sizes.sessions) / company.sizes.recordings)
}
