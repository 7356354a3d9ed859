import { hash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FingerprintTable, orderOf } from '../../../src/core/records/fingerprint-table.ts'

const digest = (text: string): Buffer => hash('sha256', text, 'buffer').subarray(0, 16)
const pairOf = (key: string, content: string): Buffer =>
  Buffer.concat([digest(key), digest(content)])

test('a fingerprint table behaves like a map from key to hash that notes which keys were seen', () => {
  const steps = fc.array(
    fc.tuple(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 2 })),
    { maxLength: 900 },
  )
  fc.assert(
    fc.property(steps, steps, (held, shown) => {
      const table = new FingerprintTable()
      const model = new Map(held.map(([key, value]) => [key, value]))
      for (const [key, value] of model) table.add(pairOf(`k${key}`, `v${value}`))
      const shownBefore = new Set<number>()
      shown.forEach(([key, value], at) => {
        const same = shownBefore.has(key) ? 'repeated' : 'unchanged'
        shownBefore.add(key)
        const expected = !model.has(key) ? 'new' : model.get(key) === value ? same : 'changed'
        expect(table.judge(digest(`k${key}`), digest(`v${value}`), orderOf(0, at))).toBe(expected)
        if (expected !== same) table.admit(digest(`k${key}`), digest(`v${value}`), orderOf(0, at))
        model.set(key, value)
      })
      const seen = new Set(shown.map(([key]) => key))
      const missing = [...model.keys()].filter((key) => !seen.has(key))
      expect(table.countMissing()).toBe(missing.length)
      for (const key of model.keys()) expect(table.missing(digest(`k${key}`))).toBe(!seen.has(key))
      expect(table.size).toBe(model.size)
    }),
    { numRuns: 200 },
  )
})

test('a request does not overrule a request that began later', () => {
  const table = new FingerprintTable()
  table.admit(digest('k'), digest('new'), orderOf(0, 9))
  expect(table.judge(digest('k'), digest('old'), orderOf(0, 3))).toBe('superseded')
  expect(table.judge(digest('k'), digest('newer'), orderOf(0, 10))).toBe('changed')
})

test('a request does not overrule a request of lower rank, even if that began earlier', () => {
  const table = new FingerprintTable()
  table.admit(digest('k'), digest('live'), orderOf(0, 1))
  expect(table.judge(digest('k'), digest('trashed'), orderOf(1, 50))).toBe('superseded')
})

test('a changed record counts as missing until it is admitted', () => {
  const table = new FingerprintTable()
  table.add(pairOf('k', 'here'))
  expect(table.judge(digest('k'), digest('moved elsewhere'), orderOf(0, 1))).toBe('changed')
  expect(table.countMissing()).toBe(1)
})

test('no row counts as seen when a second read begins', () => {
  const table = new FingerprintTable()
  table.admit(digest('k'), digest('v'), orderOf(0, 1))
  table.forgetSeen()
  expect(table.missing(digest('k'))).toBe(true)
})
