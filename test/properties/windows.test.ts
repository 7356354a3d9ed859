import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Window } from '../../src/core/time/spans.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import { askedWindow, windowBlocks } from '../../src/sync/plan/windows.ts'
import { holds } from './holds.ts'

const plans = fc
  .record({
    spanDays: fc.integer({ min: 1, max: 28 }),
    historyLimitDays: fc.integer({ min: 1, max: 800 }),
    overlapDays: fc.integer({ min: 0, max: 8 }),
    byMonth: fc.boolean(),
    nowMs: fc.integer({ min: Date.parse('2020-01-01'), max: Date.parse('2040-01-01') }),
    histories: fc.array(
      fc.record({
        failures: fc.integer({ min: 0, max: 5 }),
      }),
      { minLength: 1, maxLength: 40 },
    ),
  })
  .map(({ histories, ...range }) => {
    // Every block has a history of its own, the same whenever it is asked for.
    const historyOf = ({ fromMs, toMs }: Window) =>
      histories[(fromMs / DAY_MS + (31 * toMs) / DAY_MS) % histories.length]
    return { ...range, historyOf, blocks: windowBlocks(range, historyOf) }
  })

describe('for any horizon and any history of blocks,', () => {
  it('each instant from the horizon to now belongs to exactly one block', async () => {
    const instants = fc.tuple(plans, fc.double({ min: 0, max: 1, noNaN: true }))
    await holds(
      fc.property(instants, ([{ blocks, nowMs, historyLimitDays }, place]) => {
        const historyLimitMs = nowMs - historyLimitDays * DAY_MS
        const at = Math.round(historyLimitMs + place * (nowMs - historyLimitMs))
        const owners = blocks.filter(({ fromMs, toMs }) => fromMs <= at && at < toMs)
        expect(owners).toHaveLength(1)
      }),
    )
  })

  it('the blocks adjoin, newest first, each at least a day and at most the span long', async () => {
    await holds(
      fc.property(plans, ({ blocks, spanDays, byMonth, nowMs }) => {
        expect(blocks[0]?.toMs).toBeGreaterThan(nowMs)
        const wrong = blocks.filter(({ fromMs, toMs }, at) => {
          const days = (toMs - fromMs) / DAY_MS
          const touches = at === 0 || toMs === blocks[at - 1]?.fromMs
          return !touches || !Number.isInteger(days) || days < 1 || days > (byMonth ? 31 : spanDays)
        })
        expect(wrong).toEqual([])
      }),
    )
  })

  it('a block that fails repeatedly is cut, down to blocks of a day', async () => {
    let halvings = 0
    await holds(
      fc.property(plans, ({ blocks, historyOf, spanDays, byMonth, nowMs, historyLimitDays }) => {
        const historyLimitMs = Math.floor((nowMs - historyLimitDays * DAY_MS) / DAY_MS) * DAY_MS
        for (const block of blocks) {
          const days = (block.toMs - block.fromMs) / DAY_MS
          // The oldest block may be cut off at the horizon, and its history is the whole block's.
          if (days > 1 && block.fromMs > historyLimitMs)
            expect(historyOf(block)?.failures ?? 0).toBeLessThan(3)
          if (days < (byMonth ? 28 : spanDays)) halvings++
        }
      }),
    )
    expect(halvings).toBeGreaterThan(100)
  })

  it('the requested range includes the block with a margin, as far as data exists', async () => {
    await holds(
      fc.property(plans, ({ blocks, nowMs, overlapDays, historyLimitDays, byMonth }) => {
        const limits = { nowMs, overlapDays, historyLimitDays, byMonth }
        const historyLimitMs = Math.floor((nowMs - historyLimitDays * DAY_MS) / DAY_MS) * DAY_MS
        const wrong = blocks.filter((owned) => {
          const asked = askedWindow(owned, limits)
          const inside =
            asked.fromMs <= owned.fromMs && asked.fromMs >= historyLimitMs && asked.toMs <= nowMs
          if (byMonth) return !inside || !isWithinMonth(owned, asked)
          // The service's bounds are exclusive: with a margin no owned instant may lie on one of them.
          const before = owned.fromMs - asked.fromMs === overlapDays * DAY_MS
          const after = asked.toMs - owned.toMs === overlapDays * DAY_MS
          return (
            !inside ||
            !(before || asked.fromMs === historyLimitMs) ||
            !(after || asked.toMs === nowMs)
          )
        })
        expect(wrong).toEqual([])
      }),
    )
  })
})

/** All that is owned of a month, and nothing of another. */
function isWithinMonth(owned: Window, asked: Window): boolean {
  const month = (ms: number): string => new Date(ms).toISOString().slice(0, 7)
  const last = Math.min(owned.toMs - 1, asked.toMs)
  return month(asked.fromMs) === month(owned.fromMs) && month(asked.toMs) === month(last)
}
