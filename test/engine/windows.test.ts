import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Window } from '../../src/core/stream.ts'
import { DAY_MS, utcDay } from '../../src/core/time.ts'
import { askedWindow, windowBlocks } from '../../src/engine/windows.ts'

const nowMs = Date.parse('2026-07-08T02:30:00Z')
const none = (): undefined => undefined

test('blocks cover the horizon without gap or overlap, whatever was halved', () => {
  const spans = fc.record({
    spanDays: fc.integer({ min: 1, max: 28 }),
    horizonDays: fc.integer({ min: 1, max: 400 }),
    heavyEvery: fc.integer({ min: 1, max: 5 }),
    nowMs: fc.integer({ min: Date.parse('2025-01-01'), max: Date.parse('2027-01-01') }),
  })
  fc.assert(
    fc.property(spans, ({ heavyEvery, ...range }) => {
      const heavy = (block: Window) =>
        (block.fromMs / DAY_MS) % heavyEvery === 0 ? { pages: 200, failures: 0 } : undefined
      const blocks = windowBlocks(range, heavy).reverse()
      expect(utcDay(blocks[0]?.fromMs ?? 0)).toBe(utcDay(range.nowMs - range.horizonDays * DAY_MS))
      expect(blocks.at(-1)?.toMs).toBeGreaterThan(range.nowMs)
      blocks.forEach((block, at) => {
        expect(block.toMs - block.fromMs).toBeLessThanOrEqual(range.spanDays * DAY_MS)
        if (at > 0) expect(block.fromMs).toBe(blocks[at - 1]?.toMs)
      })
    }),
  )
})

test('a block is the same on the next night', () => {
  const names = (at: number) =>
    windowBlocks({ nowMs: at, spanDays: 14, horizonDays: 180 }, none).map(nameOf)
  const tonight = names(nowMs)
  const tomorrow = names(nowMs + DAY_MS)
  expect(tomorrow.slice(0, 12)).toEqual(tonight.slice(0, 12))
})

test('a block that keeps failing is halved down to a day', () => {
  const failing = () => ({ pages: 1, failures: 3 })
  const blocks = windowBlocks({ nowMs, spanDays: 7, horizonDays: 20 }, failing)
  expect(blocks.every((block) => block.toMs - block.fromMs === DAY_MS)).toBe(true)
  expect(blocks).toHaveLength(21)
})

test('a block with much in it is halved only while its margins stay small beside it', () => {
  const heavy = () => ({ pages: 500, failures: 0 })
  const daysOf = (marginDays: number) =>
    windowBlocks({ nowMs, spanDays: 14, horizonDays: 60, marginDays }, heavy).map(
      ({ fromMs, toMs }) => (toMs - fromMs) / DAY_MS,
    )
  expect(Math.max(...daysOf(0))).toBe(1)
  expect(Math.max(...daysOf(1))).toBe(7)
  expect(Math.max(...daysOf(7))).toBe(14)
})

test('a range is asked with its margin, but never beyond now or the horizon', () => {
  const limits = { nowMs, marginDays: 7, horizonDays: 30 }
  const owned = { fromMs: nowMs - 10 * DAY_MS, toMs: nowMs - 3 * DAY_MS }
  expect(askedWindow(owned, limits)).toEqual({ fromMs: nowMs - 17 * DAY_MS, toMs: nowMs })
  const oldest = { fromMs: nowMs - 30 * DAY_MS, toMs: nowMs - 23 * DAY_MS }
  expect(utcDay(askedWindow(oldest, limits).fromMs)).toBe(utcDay(nowMs - 30 * DAY_MS))
})

function nameOf({ fromMs, toMs }: Window): string {
  return `${utcDay(fromMs)}..${utcDay(toMs)}`
}
