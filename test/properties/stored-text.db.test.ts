import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { cleanJson, cleanText } from '../../src/core/records/map-record.ts'
import { joinKey, keyOf, wireKey } from '../../src/core/records/record-key.ts'
import { users } from '../../src/resources/users.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { useWarehouse } from '../helpers/database.ts'
import { anyText, holds } from './holds.ts'

let warehouse: Warehouse
useWarehouse(
  (opened) => {
    warehouse = opened
  },
  { poolSize: 1 },
)

const context = { ordinal: 0, filter: {} }
const storedKey = (id: string): string | undefined => {
  const result = keyOf(users, { id }, context)
  return 'key' in result ? joinKey(result.key) : undefined
}

it('different keys stay different, and each returns the service’s own spelling', async () => {
  const pairs = fc.tuple(anyText(12), anyText(12)).filter(([a, b]) => a !== '' && b !== '')
  await holds(
    fc.property(pairs, ([a, b]) => {
      const [first, second] = [storedKey(a), storedKey(b)]
      expect(first === second).toBe(a === b)
      expect(wireKey(first ?? '')).toBe(a)
      expect(first?.isWellFormed()).toBe(true)
      expect(first?.includes('\0') || first?.includes('\u001f')).toBe(false)
    }),
    4_000,
  )
})

it('Postgres stores every cleaned text, JSON and key unchanged', async () => {
  const batches = fc.array(fc.tuple(anyText(), fc.jsonValue({ maxDepth: 2 }), anyText(12)), {
    minLength: 60,
    maxLength: 60,
  })
  let stored = 0
  await holds(
    fc.asyncProperty(batches, async (batch) => {
      const texts = batch.map(([text]) => cleanText(text))
      const names = batch.map(([text, value]) =>
        cleanJson(JSON.stringify({ [text]: [text, value] })),
      )
      const keys = batch.map(([, , id]) => storedKey(id) ?? '')
      const { rows } = await warehouse.pool.query<Record<'text' | 'name' | 'key', string>>(
        `select t as text, (j::jsonb -> n -> 0) #>> '{}' as name, k as key
         from unnest($1::text[], $2::text[], $3::text[]) with ordinality u(t, j, k, at)
           cross join lateral jsonb_object_keys(j::jsonb) n order by at`,
        [texts, names, keys],
      )
      expect(rows.map(({ text }) => text)).toEqual(texts)
      expect(rows.map(({ name }) => name)).toEqual(texts)
      expect(rows.map(({ key }) => key)).toEqual(keys)
      stored += rows.length
    }),
    40,
  )
  expect(stored).toBe(2_400)
})

it('cleaning changes no text that Postgres accepts, and a second cleaning changes nothing', async () => {
  await holds(
    fc.property(anyText(), (text) => {
      const clean = cleanText(text)
      expect(cleanText(clean)).toBe(clean)
      if (text.isWellFormed() && !text.includes('\0')) expect(clean).toBe(text)
      const json = JSON.stringify([text])
      expect(JSON.parse(cleanJson(json))).toEqual([clean])
    }),
  )
})
