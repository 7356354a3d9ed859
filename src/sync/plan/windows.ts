import type { Window } from '../../core/time/spans.ts'
import { DAY_MS } from '../../core/time/time.ts'

/** The history of a block in the coverage ledger. */
export interface BlockHistory {
  failures: number
}

/** How a stream's past is cut into windows, and the overlap requested around each. */
export interface WindowLimits {
  nowMs: number
  historyLimitDays: number
  /** The length of a block in days, if blocks do not follow the months. */
  spanDays: number
  overlapDays: number
  /** The service accepts ranges within one calendar month, so no block or request crosses a month's end. */
  byMonth: boolean
}

/** A window that is read as one slice. */
export interface WindowBlock extends Window {
  /** The start of the block before the history limit cut it; undefined if the block is whole. */
  cutFromMs?: number
}

/**
 * Cuts the days within the history limit into blocks on a fixed grid, of calendar months or of `spanDays`, so
 * that a block is the same slice every night. A block that keeps failing is halved, down to a day. The oldest
 * block is cut at the history limit. Returns the newest block first, since recent data changes most.
 */
export function windowBlocks(
  limits: WindowLimits,
  historyOf: (block: Window) => BlockHistory | undefined,
): WindowBlock[] {
  const historyLimitMs = startOfDay(limits.nowMs - limits.historyLimitDays * DAY_MS)
  const blocks: WindowBlock[] = []
  let block = blockAt(limits, limits.nowMs)
  for (; block.toMs > historyLimitMs; block = blockAt(limits, block.fromMs - 1)) {
    for (const part of halved(block, historyOf).toReversed()) {
      if (part.toMs <= historyLimitMs || part.fromMs > limits.nowMs) continue
      const cut = { fromMs: historyLimitMs, toMs: part.toMs, cutFromMs: part.fromMs }
      blocks.push(part.fromMs < historyLimitMs ? cut : part)
    }
  }
  return blocks
}

/** The range to request for a block: its days and the overlap, cut at now and at the history limit. */
export function askedWindow(owned: Window, limits: Omit<WindowLimits, 'spanDays'>): Window {
  const { fromMs, toMs } = withOverlaps(owned, limits)
  return {
    fromMs: Math.max(fromMs, startOfDay(limits.nowMs - limits.historyLimitDays * DAY_MS)),
    toMs: Math.min(toMs, limits.nowMs),
  }
}

/**
 * The instants that the response for a block may show: the requested range, in whole days. The clocks may
 * differ, so a block that reaches now has no end.
 */
export function shownWindow(owned: Window, limits: Omit<WindowLimits, 'spanDays'>): Window {
  const { fromMs, toMs } = withOverlaps(owned, limits)
  const end = startOfDay(toMs) + DAY_MS
  return { fromMs: startOfDay(fromMs), toMs: toMs < limits.nowMs ? end : Infinity }
}

function withOverlaps(
  { fromMs, toMs }: Window,
  { overlapDays, byMonth }: Pick<WindowLimits, 'overlapDays' | 'byMonth'>,
): Window {
  const overlapMs = overlapDays * DAY_MS
  const asked = { fromMs: fromMs - overlapMs, toMs: toMs + overlapMs }
  if (!byMonth) return asked
  const month = monthOf(fromMs)
  // The end stays within the last day, so that the next month's first day is not requested.
  return {
    fromMs: Math.max(asked.fromMs, month.fromMs),
    toMs: Math.min(asked.toMs, month.toMs - 1),
  }
}

/** The block of the grid that contains an instant. */
function blockAt({ byMonth, spanDays }: WindowLimits, atMs: number): Window {
  if (byMonth) return monthOf(atMs)
  const spanMs = spanDays * DAY_MS
  const fromMs = Math.floor(atMs / spanMs) * spanMs
  return { fromMs, toMs: fromMs + spanMs }
}

function monthOf(atMs: number): Window {
  const at = new Date(atMs)
  const startOf = (month: number): number => Date.UTC(at.getUTCFullYear(), month)
  return { fromMs: startOf(at.getUTCMonth()), toMs: startOf(at.getUTCMonth() + 1) }
}

function halved(block: Window, historyOf: (block: Window) => BlockHistory | undefined): Window[] {
  const days = (block.toMs - block.fromMs) / DAY_MS
  if ((historyOf(block)?.failures ?? 0) < FAILURES || days <= 1) return [block]
  const middleMs = block.fromMs + Math.ceil(days / 2) * DAY_MS
  return [
    ...halved({ fromMs: block.fromMs, toMs: middleMs }, historyOf),
    ...halved({ fromMs: middleMs, toMs: block.toMs }, historyOf),
  ]
}

export function startOfDay(epochMs: number): number {
  return Math.floor(epochMs / DAY_MS) * DAY_MS
}

/** After this many failures in a row a block is read in halves. */
const FAILURES = 3
