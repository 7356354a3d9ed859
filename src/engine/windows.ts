import type { Window } from '../core/stream.ts'
import { DAY_MS } from '../core/time.ts'

/** What is known of a block from the coverage. */
export interface BlockHistory {
  pages: number
  failures: number
}

/** A window that is read as one slice. */
export interface Block extends Window {
  /** Where it began before the horizon came into it; undefined where it is whole. */
  cutFromMs?: number
}

/**
 * Cuts the horizon into blocks on a fixed grid of `spanDays`, so that a block is the same slice every
 * night. A block that took more than half again the pages we aim at, or that keeps failing, is halved, down
 * to a day. The oldest block begins at the horizon. Newest first: what changes most is read first.
 */
export function windowBlocks(
  range: { nowMs: number; spanDays: number; horizonDays: number; marginDays?: number },
  historyOf: (block: Window) => BlockHistory | undefined,
): Block[] {
  const spanMs = range.spanDays * DAY_MS
  const horizonMs = startOfDay(range.nowMs - range.horizonDays * DAY_MS)
  // Below this the margins around the halves would cost more than the halves save.
  const floorDays = Math.max(1, 4 * (range.marginDays ?? 0))
  const blocks: Block[] = []
  for (
    let fromMs = Math.floor(range.nowMs / spanMs) * spanMs;
    fromMs + spanMs > horizonMs;
    fromMs -= spanMs
  ) {
    const block = { fromMs, toMs: fromMs + spanMs }
    for (const part of halved(block, { historyOf, floorDays }).toReversed()) {
      if (part.toMs <= horizonMs || part.fromMs > range.nowMs) continue
      const cut = { fromMs: horizonMs, toMs: part.toMs, cutFromMs: part.fromMs }
      blocks.push(part.fromMs < horizonMs ? cut : part)
    }
  }
  return blocks
}

/**
 * What is asked of the service so that it shows all that the block owns: never beyond now, never before the
 * horizon.
 */
export function askedWindow(
  owned: Window,
  limits: { nowMs: number; marginDays: number; horizonDays: number },
): Window {
  const marginMs = limits.marginDays * DAY_MS
  return {
    fromMs: Math.max(
      owned.fromMs - marginMs,
      startOfDay(limits.nowMs - limits.horizonDays * DAY_MS),
    ),
    toMs: Math.min(owned.toMs + marginMs, limits.nowMs),
  }
}

interface Halving {
  historyOf: (block: Window) => BlockHistory | undefined
  floorDays: number
}

function halved(block: Window, halving: Halving): Window[] {
  const history = halving.historyOf(block)
  const days = (block.toMs - block.fromMs) / DAY_MS
  const failing = (history?.failures ?? 0) >= 3
  const heavy = (history?.pages ?? 0) > TARGET_PAGES * 1.5 && days / 2 >= halving.floorDays
  if ((!failing && !heavy) || days <= 1) return [block]
  const middleMs = block.fromMs + Math.ceil(days / 2) * DAY_MS
  return [
    ...halved({ fromMs: block.fromMs, toMs: middleMs }, halving),
    ...halved({ fromMs: middleMs, toMs: block.toMs }, halving),
  ]
}

function startOfDay(epochMs: number): number {
  return Math.floor(epochMs / DAY_MS) * DAY_MS
}

const TARGET_PAGES = 50
