import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Window } from '../../../src/core/time/spans.ts'
import { DAY_MS, utcDay } from '../../../src/core/time/time.ts'
import { askedWindow, shownWindow, windowBlocks } from '../../../src/sync/plan/windows.ts'

const nowMs = Date.parse('2026-07-08T02:30:00Z')
const limits = { nowMs, spanDays: 14, overlapDays: 1, historyLimitDays: 30, byMonth: false }
const none = (): undefined => undefined

test('blocks cover the days within the history limit once, even if some are halved', () => {
  const spans = fc.record({
    spanDays: fc.integer({ min: 1, max: 28 }),
    historyLimitDays: fc.integer({ min: 1, max: 400 }),
    failingEvery: fc.integer({ min: 1, max: 5 }),
    nowMs: fc.integer({ min: Date.parse('2025-01-01'), max: Date.parse('2027-01-01') }),
  })
  fc.assert(
    fc.property(spans, ({ failingEvery, ...range }) => {
      const failing = (block: Window) =>
        (block.fromMs / DAY_MS) % failingEvery === 0 ? { failures: 3 } : undefined
      const blocks = windowBlocks({ ...limits, ...range }, failing).reverse()
      expect(utcDay(blocks[0]?.fromMs ?? 0)).toBe(
        utcDay(range.nowMs - range.historyLimitDays * DAY_MS),
      )
      expect(blocks.at(-1)?.toMs).toBeGreaterThan(range.nowMs)
      blocks.forEach((block, at) => {
        expect(block.toMs - block.fromMs).toBeLessThanOrEqual(range.spanDays * DAY_MS)
        if (at > 0) expect(block.fromMs).toBe(blocks[at - 1]?.toMs)
      })
    }),
  )
})

test('the twelve newest blocks are the same on the next night', () => {
  const names = (at: number) =>
    windowBlocks({ ...limits, nowMs: at, historyLimitDays: 180 }, none).map(nameOf)
  const tonight = names(nowMs)
  const tomorrow = names(nowMs + DAY_MS)
  expect(tomorrow.slice(0, 12)).toEqual(tonight.slice(0, 12))
})

test('a block that keeps failing is halved down to a day', () => {
  const failing = () => ({ failures: 3 })
  const blocks = windowBlocks({ ...limits, spanDays: 7, historyLimitDays: 20 }, failing)
  expect(blocks.every((block) => block.toMs - block.fromMs === DAY_MS)).toBe(true)
  expect(blocks).toHaveLength(21)
})

test('each month is a block, and its requested range stays within it', () => {
  const months = { ...limits, byMonth: true, historyLimitDays: 180 }
  const blocks = windowBlocks(months, none)
  expect(blocks.map(nameOf)).toEqual([
    '2026-07-01..2026-08-01',
    '2026-06-01..2026-07-01',
    '2026-05-01..2026-06-01',
    '2026-04-01..2026-05-01',
    '2026-03-01..2026-04-01',
    '2026-02-01..2026-03-01',
    '2026-01-09..2026-02-01',
  ])
  expect(blocks.map((block) => nameOf(askedWindow(block, months)))).toEqual([
    '2026-07-01..2026-07-08',
    '2026-06-01..2026-06-30',
    '2026-05-01..2026-05-31',
    '2026-04-01..2026-04-30',
    '2026-03-01..2026-03-31',
    '2026-02-01..2026-02-28',
    '2026-01-09..2026-01-31',
  ])
})

test('a month that keeps failing is halved, with margins that stay within it', () => {
  const months = { ...limits, byMonth: true, historyLimitDays: 60 }
  const blocks = windowBlocks(months, ({ fromMs, toMs }) =>
    toMs - fromMs > 20 * DAY_MS ? { failures: 3 } : undefined,
  )
  expect(blocks.map((block) => nameOf(askedWindow(block, months)))).toEqual([
    '2026-07-01..2026-07-08',
    '2026-06-15..2026-06-30',
    '2026-06-01..2026-06-17',
    '2026-05-16..2026-05-31',
    '2026-05-09..2026-05-18',
  ])
})

test('a response may show only the requested days, and for the newest window also newer days', () => {
  const months = { ...limits, byMonth: true, historyLimitDays: 180 }
  const [july, june] = windowBlocks(months, none) as [Window, Window]
  expect(shownWindow(june, months)).toEqual({
    fromMs: Date.parse('2026-06-01'),
    toMs: Date.parse('2026-07-01'),
  })
  expect(shownWindow(july, months)).toEqual({ fromMs: Date.parse('2026-07-01'), toMs: Infinity })
})

test('a range is requested with a margin, but never beyond now or the history limit', () => {
  const asked = { nowMs, overlapDays: 7, historyLimitDays: 30, byMonth: false }
  const owned = { fromMs: nowMs - 10 * DAY_MS, toMs: nowMs - 3 * DAY_MS }
  expect(askedWindow(owned, asked)).toEqual({ fromMs: nowMs - 17 * DAY_MS, toMs: nowMs })
  const oldest = { fromMs: nowMs - 30 * DAY_MS, toMs: nowMs - 23 * DAY_MS }
  expect(utcDay(askedWindow(oldest, asked).fromMs)).toBe(utcDay(nowMs - 30 * DAY_MS))
})

function nameOf({ fromMs, toMs }: Window): string {
  return `${utcDay(fromMs)}..${utcDay(toMs)}`
}
