import { hash, pick } from '../base/random.ts'
import { wireDuration, wireTime } from '../base/wire-time.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import type { SeedState } from '../seed-data/state.ts'
import { RHYTHMS, TEAMS } from '../seed-data/words.ts'
import { phaseOf, sessionAt, titled } from './sessions.ts'

interface LiveSession {
  id: string
  session_name: string
  session_key: string | null | undefined
  seconds: number
  user_count: number
}

/** Returns the live sessions: always a few, and created ones until they end. */
export function liveSessions(seedData: SeedData, state: SeedState, nowMs: number): LiveSession[] {
  const { sizes, ids } = seedData
  const live: LiveSession[] = Array.from({ length: alwaysLive(seedData) }, (_, ordinal) => {
    const h = hash(seedData.seed, 24, ordinal)
    const session_key = `${pick(TEAMS, h >>> 3)}-${pick(RHYTHMS, h >>> 11)}`
    return {
      id: ids.liveSessions.of(ordinal),
      session_name: titled(session_key),
      session_key,
      seconds: 60 + (h % 3000),
      user_count: 2 + (h % 9),
    }
  })
  for (let index = sizes.sessions; index < sizes.sessions + state.sessions.added; index++) {
    if (phaseOf(seedData, state, { index, nowMs }) !== 'live') continue
    const session = sessionAt(seedData, state, index)
    live.push({ ...session, seconds: Math.floor((nowMs - session.startMs) / 1000) })
  }
  return live
}

/** Returns a live session, which has no end and no quality. */
export function liveItem(session: LiveSession, nowMs: number): Record<string, unknown> {
  return {
    id: session.id,
    session_name: session.session_name,
    session_key: session.session_key,
    start_time: wireTime((Math.floor(nowMs / 1000) - session.seconds) * 1000, 15),
    end_time: null,
    duration: wireDuration(session.seconds, 1),
    user_count: session.user_count,
    has_voip: true,
    has_video: true,
    has_screen_share: false,
    has_recording: false,
    has_pstn: false,
    has_session_summary: false,
  }
}

export function isGoingOn(seedData: SeedData, id: string, nowMs: number): boolean {
  const ordinal = seedData.ids.liveSessions.indexOf(id)
  if (ordinal !== undefined && ordinal < alwaysLive(seedData)) return true
  const index = seedData.ids.sessions.indexOf(id)
  const { state, sizes } = seedData
  if (index === undefined || index >= sizes.sessions + state.sessions.added) return false
  return phaseOf(seedData, state, { index, nowMs }) === 'live'
}

function alwaysLive({ seed }: SeedData): number {
  return 3 + (hash(seed, 29, 0) % 4)
}
