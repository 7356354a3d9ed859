import { DAY_MS } from '../../src/core/time/time.ts'
import { addOddText, cleanText } from '../base/clean-text.ts'
import { hash, pick } from '../base/random.ts'
import { trueTime, wireDuration, wireTime } from '../base/wire-time.ts'
import { recordingOfSession } from '../protocol/links.ts'
import { type Listing, reversed } from '../protocol/listing.ts'
import { type RowSpan, rowsBetween } from '../protocol/rows-between.ts'
import { type Circumstances, drawQuality } from '../seed-data/scenario.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import type { Quality, SeedState } from '../seed-data/state.ts'
import { RHYTHMS, TEAMS } from '../seed-data/words.ts'
import { empty } from '../users/users.ts'

/** A video session in the company. */
export interface Session {
  h: number
  id: string
  session_name: string
  session_key: string | null | undefined
  startMs: number
  seconds: number
  endKnown: boolean
  user_count: number
  flags: Record<(typeof FLAGS)[number], boolean>
  qualities: { audio?: Quality; video?: Quality; screen_share?: Quality }
}

export function sessionAt(seedData: SeedData, state: SeedState, index: number): Session {
  const h = hash(seedData.seed, 21, index)
  const team = pick(TEAMS, h >>> 3)
  const key = `${team}-${pick(RHYTHMS, h >>> 11)}`
  const flags = flagsOf(seedData, state, index)
  const named = state.sessions.patches.get(index)?.session_name
  return {
    h,
    id: seedData.ids.sessions.of(index),
    session_name: named ?? addOddText(titled(key), hash(h, 1, 0)),
    session_key: named === undefined ? (h % 12 === 0 ? empty('', h) : key) : undefined,
    startMs: sessionStartMs(seedData, state, index),
    seconds: sessionSeconds(seedData, index),
    endKnown: h % 600 !== 5,
    user_count: peopleOf(h),
    flags,
    qualities: qualitiesOf(seedData, state, { index, team, people: peopleOf(h), flags }),
  }
}

export function sessionStartMs(seedData: SeedData, state: SeedState, index: number): number {
  return state.sessions.patches.get(index)?.startMs ?? seedData.sessionTimes.startMs(index)
}

/** Returns a session's phase: a created session begins when somebody joins; all others have ended. */
export function phaseOf(
  seedData: SeedData,
  state: SeedState,
  { index, nowMs }: { index: number; nowMs: number },
): 'created' | 'live' | 'over' {
  const { createdMs, startMs = Number.POSITIVE_INFINITY } = state.sessions.patches.get(index) ?? {}
  if (createdMs === undefined) return 'over'
  if (nowMs < startMs) return 'created'
  return nowMs < startMs + sessionSeconds(seedData, index) * 1000 ? 'live' : 'over'
}

/** Draws a duration: mostly short, and never so long that a past session would still be live. */
export function sessionSeconds(seedData: SeedData, index: number): number {
  const share = (hash(seedData.seed, 22, index) % 10_000) / 10_000
  const most = index % 40 === 3 ? 13_500 : 6_600
  return 95 + Math.floor(share * share * most)
}

/** Whether a session has no quality yet: a third of the sessions since three days before `originMs`. */
export function awaitsQuality(seedData: SeedData, state: SeedState, index: number): boolean {
  if (state.sessions.patches.get(index)?.lateQuality === true) return false
  const young = sessionStartMs(seedData, state, index) > seedData.originMs - 3 * DAY_MS
  return young && hash(seedData.seed, 23, index) % 3 === 0
}

/** Lists ended sessions that start in a span, latest first. */
export function sessionsBetween(
  seedData: SeedData,
  state: SeedState,
  { nowMs, ...span }: RowSpan & { nowMs: number },
): Listing {
  const { sessionTimes: curve } = seedData
  const startOf = (index: number): number =>
    phaseOf(seedData, state, { index, nowMs }) === 'over'
      ? sessionStartMs(seedData, state, index)
      : Number.POSITIVE_INFINITY
  return reversed(rowsBetween({ curve, overlay: state.sessions, startOf, span }))
}

export function sessionItem(session: Session): Record<string, unknown> {
  const { h, flags, qualities } = session
  const endMs = session.startMs + session.seconds * 1000
  return {
    id: session.id,
    session_name: session.session_name,
    session_key: session.session_key,
    start_time: wireTime(session.startMs, h),
    end_time: session.endKnown ? wireTime(endMs, hash(h, 3, 0)) : null,
    duration: wireDuration(session.seconds, h),
    user_count: session.user_count,
    ...flags,
    ...(qualities.audio === undefined ? {} : { audio_quality: qualities.audio }),
    ...(qualities.video === undefined ? {} : { video_quality: qualities.video }),
    screen_share_quality: qualities.screen_share ?? (h % 2 === 0 ? undefined : null),
  }
}

export function sessionTruth(session: Session): Record<string, unknown> {
  const { h, flags, qualities } = session
  const endMs = session.startMs + session.seconds * 1000
  return {
    id: session.id,
    session_name: cleanText(session.session_name),
    session_key: session.session_key ?? null,
    start_time: trueTime(session.startMs, h),
    end_time: session.endKnown ? trueTime(endMs, hash(h, 3, 0)) : null,
    duration: String(session.seconds),
    user_count: String(session.user_count),
    ...flags,
    audio_quality: qualities.audio ?? null,
    video_quality: qualities.video ?? null,
    screen_share_quality: qualities.screen_share ?? null,
  }
}

function peopleOf(h: number): number {
  return 2 + (hash(h, 2, 0) % (h % 9 === 0 ? 60 : 12))
}

function flagsOf(seedData: SeedData, state: SeedState, index: number): Session['flags'] {
  const h = hash(seedData.seed, 25, index)
  const patch = state.sessions.patches.get(index)
  return {
    has_voip: h % 40 !== 0,
    has_video: (h >>> 3) % 100 < 78,
    has_screen_share: (h >>> 6) % 100 < 55,
    has_recording: patch?.has_recording ?? recordingOfSession(seedData, state, index) !== undefined,
    has_pstn: h % 40 === 0 || (h >>> 9) % 100 < 12,
    has_session_summary: patch?.has_session_summary ?? (h >>> 12) % 100 < 20,
  }
}

/** Returns the qualities; unused media have none. */
function qualitiesOf(
  seedData: SeedData,
  state: SeedState,
  facts: { index: number; team: string; people: number; flags: Session['flags'] },
): Session['qualities'] {
  const { index, team, people, flags } = facts
  if (awaitsQuality(seedData, state, index)) return {}
  const { originMs, seed } = seedData
  const startMs = sessionStartMs(seedData, state, index)
  const session = { originMs, startMs, team, people, byPhone: flags.has_pstn }
  const draw = (kind: Circumstances['kind'], salt: number): Quality =>
    drawQuality(hash(seed, salt, index), { ...session, kind })
  return {
    audio: draw('audio', 26),
    ...(flags.has_video ? { video: draw('video', 27) } : {}),
    ...(flags.has_screen_share ? { screen_share: draw('screen_share', 28) } : {}),
  }
}

export function titled(key: string): string {
  const words = key.split('-').map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
  return words.join(' ')
}

const FLAGS = [
  ...(['has_voip', 'has_video', 'has_screen_share', 'has_recording'] as const),
  ...(['has_pstn', 'has_session_summary'] as const),
]
