import { DAY_MS } from '../../src/core/time/time.ts'
import { addOddText, cleanText } from '../base/clean-text.ts'
import { hash } from '../base/random.ts'
import { trueTime, wireTime } from '../base/wire-time.ts'
import { filtered, type Listing, reversed } from '../protocol/listing.ts'
import { rowsBetween } from '../protocol/rows-between.ts'
import type { Readings } from '../readings/readings.ts'
import type { ScenarioSession } from '../seed-data/board-patches.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import type { SeedState } from '../seed-data/state.ts'
import { firstNameOf } from './boards.ts'
import { participantItem, participantsOf, participantTruth } from './whiteboard-people.ts'

type Json = Record<string, unknown>

export interface Whiteboard {
  index: number
  h: number
  id: string
  startMs: number
  endMs: number
  expireMs: number
  whiteboard_id: string
  whiteboard_name: string | null
  told: ScenarioSession | undefined
}

export function whiteboardAt(seedData: SeedData, state: SeedState, index: number): Whiteboard {
  const h = hash(seedData.seed, 51, index)
  const span = spanOf(seedData, state, index)
  const made = seedData.boardTimes.firstAtOrAfter(span.startMs)
  const { told } = state.whiteboards.patches.get(index) ?? {}
  const board = told?.board ?? (h >>> 6) % Math.max(1, made)
  return {
    index,
    h,
    id: seedData.ids.whiteboards.of(index),
    ...span,
    whiteboard_id: seedData.ids.boards.of(board),
    // Archives have the name at that time.
    whiteboard_name: h % 70 === 0 ? null : addOddText(firstNameOf(board), hash(h, 1, 0)),
    told,
  }
}

/**
 * Draws when a session starts, ends and expires. Most last up to two hours, and some stay open for days. Only
 * an added session reaches the origin. Some sessions of the last four weeks expire after 30 days.
 */
function spanOf(
  seedData: SeedData,
  state: SeedState,
  index: number,
): { startMs: number; endMs: number; expireMs: number } {
  const h = hash(seedData.seed, 53, index)
  const { originMs, whiteboardTimes } = seedData
  const { startMs: added, told } = state.whiteboards.patches.get(index) ?? {}
  const startMs = added ?? whiteboardTimes.startMs(index)
  const most = h % 50 === 1 && added === undefined ? 5 * 86_400 : 7_200
  const seconds = told === undefined ? 120 + ((h >>> 6) % most) : told.minutes * 60
  const wholeMs = startMs + seconds * 1000
  const endMs =
    added === undefined ? Math.min(wholeMs, originMs - 60_000 - (h % 300) * 1000) : wholeMs
  const shortLived = h % 10 === 3 && startMs > originMs - 28 * DAY_MS
  return { startMs, endMs, expireMs: startMs + (shortLived ? 30 : 400) * DAY_MS }
}

/** Lists unexpired sessions wholly between the bounds or, with `start`, those that start within them. */
export function whiteboardsBetween(
  seedData: SeedData,
  state: SeedState,
  asked: { fromMs: number; toMs: number; nowMs: number; bounds: Readings['archiveBounds'] },
): Listing {
  const inclusive = asked.bounds === 'start'
  const startOf = (index: number): number => spanOf(seedData, state, index).startMs
  const started = rowsBetween({
    curve: seedData.whiteboardTimes,
    overlay: state.whiteboards,
    startOf,
    span: { fromMs: asked.fromMs, untilMs: asked.toMs + (inclusive ? 1 : 0) },
  })
  return filtered(reversed(started), (index) => {
    const { startMs, endMs, expireMs } = spanOf(seedData, state, index)
    if (expireMs <= asked.nowMs) return false
    return inclusive || (startMs > asked.fromMs && endMs + 1000 <= asked.toMs)
  })
}

export function whiteboardItem(seedData: SeedData, board: Whiteboard): Json {
  return {
    ...whiteboardHead(board),
    id: board.id,
    regulated_participants: participantsOf(seedData, board).map(participantItem),
  }
}

/** Returns the fields that the list of sessions and the list of activities share. */
export function whiteboardHead(board: Whiteboard): Json {
  const { h } = board
  return {
    start_time: wireTime(board.startMs, h),
    end_time: wireTime(board.endMs, h >>> 4),
    expire_time: wireTime(board.expireMs, 15),
    whiteboard_id: board.whiteboard_id,
    whiteboard_name: board.whiteboard_name,
  }
}

export function whiteboardTruth(board: Whiteboard): Json {
  const { h } = board
  return {
    id: board.id,
    start_time: trueTime(board.startMs, h),
    end_time: trueTime(board.endMs, h >>> 4),
    expire_time: trueTime(board.expireMs, 15),
    whiteboard_id: board.whiteboard_id,
    whiteboard_name: board.whiteboard_name === null ? null : cleanText(board.whiteboard_name),
  }
}

export function participantTruths(seedData: SeedData, board: Whiteboard): Json[] {
  const seen = new Map<string, number>()
  return participantsOf(seedData, board).map((person) => {
    const { user_id, user_name, joinMs, kind } = person
    const key = JSON.stringify([user_id, user_name, trueTime(joinMs, kind)])
    const ordinal = seen.get(key) ?? 0
    seen.set(key, ordinal + 1)
    return participantTruth(board.id, person, ordinal)
  })
}
