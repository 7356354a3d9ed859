import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutPage, PageRecords } from '../../../src/core/records/page-records.ts'
import { parseLossless } from '../../../src/core/values/json.ts'

const cut = (text: string) => {
  const bytes = Buffer.from(text)
  const found = cutPage(bytes, 'items')
  return found && { ...found, records: new PageRecords(bytes, found.edges) }
}

const parsed = (records: PageRecords): unknown[] =>
  Array.from({ length: records.count }, (_, at) => records.parse(at))

/** Prints a value with numbers as doubles: whether one keeps its digits depends on the text around. */
const print = (value: unknown): string => JSON.stringify(JSON.parse(JSON.stringify(value)))

/** Cuts a page and parses each part; undefined if a part is not JSON. */
function believed(text: string): { records: unknown[]; envelope: unknown } | undefined {
  const found = cut(text)
  if (found === undefined) return undefined
  try {
    return { records: parsed(found.records), envelope: parseLossless(found.envelope) }
  } catch {
    return undefined
  }
}

const value = fc.oneof(
  fc.json({ maxDepth: 2 }),
  fc.constantFrom(
    '"},{\\"id\\":"',
    '"]"',
    '"\\\\"',
    '[{"id":1},{"id":2}]',
    '{"items":[{"id":3}]}',
    '"Zoë \u{1F600}"',
  ),
)
const record = fc
  .array(fc.tuple(fc.constantFrom('id', 'name', 'items', '__proto__'), value), { maxLength: 4 })
  .map((fields) => `{${fields.map(([name, json]) => `"${name}":${json}`).join(',')}}`)
const blanks = fc.constantFrom('', ' ', '\n  ', '\t')
const page = fc
  .tuple(fc.array(fc.oneof(record, value), { maxLength: 5 }), value, fc.boolean(), blanks)
  .map(([records, other, before, gap]) => {
    const elements = records.map((one) => `${gap}${one}${gap}`).join(',')
    const list = `"items"${gap}:${gap}[${elements}${gap}]${gap}`
    return before
      ? `${gap}{"other":${other},${gap}${list}}`
      : `{${gap}${list},"other":${other}}${gap}`
  })

test('a page is cut into its records and the rest of its text', () => {
  fc.assert(
    fc.property(page, (text) => {
      const found = believed(text)
      const whole = parseLossless(text) as { items: unknown[] }
      expect(print(found?.records)).toBe(print(whole.items))
      expect(print(found?.envelope)).toBe(print({ ...whole, items: [] }))
    }),
    { numRuns: 1_000 },
  )
})

test('a page that is not JSON is never accepted, however it is damaged', () => {
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
      let whole: { items?: unknown } | undefined
      try {
        whole = parseLossless(damaged) as { items?: unknown }
      } catch {
        broken++
      }
      if (whole === undefined) expect(found).toBeUndefined()
      // If two fields have this name, the first one is cut, and the envelope contains the other.
      if (!Array.isArray(whole?.items) || damaged.split('"items"').length > 2) return
      expect(print(found?.records)).toBe(print(whole.items))
      expect(print(found?.envelope)).toBe(print({ ...whole, items: [] }))
    }),
    { numRuns: 2_000 },
  )
  expect(broken).toBeGreaterThan(200)
})

test('the bytes cut from a page are exactly those of each record, in any form of JSON', () => {
  const records = [{ id: 'Zoë', list: [{ a: 1 }, { a: 2 }] }, { id: '\u{1F600}' }, { id: 'c' }]
  const text = JSON.stringify({ from: 'ü', items: records, next_page_token: 'n' })
  const found = cut(text)
  expect(found?.envelope).toBe('{"from":"ü","items":[],"next_page_token":"n"}')
  expect(found && parsed(found.records)).toEqual(records)
  expect(Buffer.from(found?.records.bytesOf(1) ?? []).toString()).toBe('{"id":"\u{1F600}"}')
  expect(cut('{"\\u0069tems":[1, "]" ,null]}')?.records.count).toBe(3)
  const bare = ' [ {"a":"]"} , [2] ] '
  expect(cutPage(Buffer.from(bare), undefined)?.edges).toEqual([3, 12, 15, 18])
})

test.each([
  ['the list inside another value', '{"other":{"items":[{"id":1}]}}'],
  ['the list inside a text', '{"other":"\\"items\\":[]"}'],
  ['no list', '{"items":{}}'],
  ['a list as the whole text', '[1]'],
])('a page has no records if it has %s', (_form, text) => {
  expect(cut(text)).toMatchObject({ edges: [], envelope: text })
})

test.each(['[1,]', '[,1]', '[1 2]', '[1', '[{"a":1}x]', '[1}'])(
  'the list %s is rejected',
  (list) => {
    expect(believed(`{"items":${list}}`)).toBeUndefined()
  },
)

test('a released page frees its bytes only if it owns them', () => {
  const text = '{"items":[{"id":1},{"id":2}]}'
  const own = Buffer.allocUnsafeSlow(text.length)
  own.write(text)
  new PageRecords(own, []).release()
  expect(own.buffer.byteLength).toBe(0)
  const shared = Buffer.alloc(100)
  shared.write(text, 7)
  new PageRecords(shared.subarray(7, 7 + text.length), []).release()
  expect(shared.toString('latin1', 7, 7 + text.length)).toBe(text)
})

test('the records of a page are only its objects that can be parsed', () => {
  const deep = `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`
  const records = cut(`{"items":[{"id":1},null,[2],${deep}]}`)?.records
  expect(records?.count).toBe(4)
  expect([0, 1, 2, 3].map((at) => records?.recordAt(at)?.id)).toEqual([1, ...Array(3)])
})
