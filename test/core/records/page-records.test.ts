import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  guessRecords,
  type PageRecords,
  provenRecords,
} from '../../../src/core/records/page-records.ts'
import { parseLossless } from '../../../src/core/values/lossless-json.ts'

const parsed = (records: PageRecords): unknown[] =>
  Array.from({ length: records.count }, (_, at) => records.parse(at))

/**
 * As text with each number as a double is printed: whether one is kept as its digits depends on its
 * neighbours in the text.
 */
const print = (value: unknown): string => JSON.stringify(JSON.parse(JSON.stringify(value)))

/** What a guess comes to once each record is proven by itself; undefined when one of them is no JSON. */
function believed(text: string): { records: unknown[]; envelope: unknown } | undefined {
  const guessed = guessRecords(Buffer.from(text), 'items')
  if (guessed === undefined) return undefined
  try {
    return { records: parsed(guessed.records), envelope: parseLossless(guessed.envelope) }
  } catch {
    return undefined
  }
}

const value = fc.oneof(
  fc.json({ maxDepth: 2 }),
  fc.constantFrom(
    '"},{\\"id\\":"',
    '"]"',
    '[{"id":1},{"id":2}]',
    '{"items":[{"id":3}]}',
    '"Zoë \u{1F600}"',
  ),
)
const record = fc
  .array(fc.tuple(fc.constantFrom('id', 'name', 'items', '__proto__'), value), { maxLength: 4 })
  .map((fields) => `{${fields.map(([name, json]) => `"${name}":${json}`).join(',')}}`)
const page = fc
  .tuple(fc.array(record, { maxLength: 5 }), value, fc.boolean())
  .map(([records, other, before]) => {
    const list = `"items":[${records.join(',')}]`
    return before ? `{"other":${other},${list}}` : `{${list},"other":${other}}`
  })

test('what a guess is believed to show is what the page says', () => {
  let believedPages = 0
  fc.assert(
    fc.property(page, (text) => {
      const found = believed(text)
      const whole = parseLossless(text) as { items: unknown[] }
      expect(print(parsed(provenRecords(Buffer.from(text), 'items')))).toBe(print(whole.items))
      if (found === undefined) return
      believedPages++
      expect(print(found.records)).toBe(print(whole.items))
      expect(print(found.envelope)).toBe(print({ ...whole, items: [] }))
    }),
    { numRuns: 1_000 },
  )
  expect(believedPages).toBeGreaterThan(100)
})

test('a guess at a text that is no JSON is never believed', () => {
  let broken = 0
  const damage = fc.tuple(
    fc.nat(),
    fc.nat(3),
    fc.constantFrom('', '"', '}', '{', ',', ']', '[', '\\', ':', 'x'),
  )
  fc.assert(
    fc.property(page, damage, (text, [place, removed, added]) => {
      const at = place % text.length
      const damaged = (text.slice(0, at) + added + text.slice(at + removed)).toWellFormed()
      const found = believed(damaged)
      if (found === undefined) {
        broken++
        return
      }
      const whole = parseLossless(damaged) as { items: unknown[] }
      expect(print(found.records)).toBe(print(whole.items))
      expect(print(found.envelope)).toBe(print({ ...whole, items: [] }))
    }),
    { numRuns: 2_000 },
  )
  expect(broken).toBeGreaterThan(200)
})

test('the usual form is guessed, with the bytes of each record', () => {
  const records = [{ id: 'Zoë', list: [{ a: 1 }, { a: 2 }] }, { id: '\u{1F600}' }, { id: 'c' }]
  const text = JSON.stringify({ from: 'ü', items: records, next_page_token: 'n' })
  const guessed = guessRecords(Buffer.from(text), 'items')
  expect(guessed?.envelope).toBe('{"from":"ü","items":[],"next_page_token":"n"}')
  expect(guessed && parsed(guessed.records)).toEqual(records)
  expect(Buffer.from(guessed?.records.bytesOf(1) ?? []).toString()).toBe('{"id":"\u{1F600}"}')
})

test.each([
  ['blanks', '{"items": [{"id":1}]}'],
  ['scalars', '{"items":[1,2]}'],
  ['two lists of the name', '{"items":[{"id":1}],"items":[]}'],
  ['a name with an escape', '{"\\u0069tems":[{"id":1}]}'],
  ['the list inside another value', '{"other":{"items":[{"id":1}]}}'],
  ['the list inside a text', '{"other":"\\"items\\":[]"}'],
  ['no list', '{"items":{}}'],
])('%s: is not believed', (_form, text) => {
  expect(believed(text)).toBeUndefined()
})

test('a page that is released frees bytes that are its own, and never those of others', () => {
  const text = '{"items":[{"id":1},{"id":2}]}'
  const own = Buffer.allocUnsafeSlow(text.length)
  own.write(text)
  guessRecords(own, 'items')?.records.release()
  expect(own.buffer.byteLength).toBe(0)
  const shared = Buffer.alloc(100)
  shared.write(text, 7)
  guessRecords(shared.subarray(7, 7 + text.length), 'items')?.records.release()
  expect(shared.toString('latin1', 7, 7 + text.length)).toBe(text)
})

test('a record is an object that can be parsed, whatever stands beside it', () => {
  const deep = `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`
  const records = provenRecords(Buffer.from(`{"items":[{"id":1},null,[2],${deep}]}`), 'items')
  expect(records.count).toBe(4)
  expect([0, 1, 2, 3].map((at) => records.recordAt(at)?.id)).toEqual([1, ...Array(3)])
})
