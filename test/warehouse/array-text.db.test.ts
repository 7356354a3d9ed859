import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { arrayText } from '../../src/warehouse/array-text.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { useWarehouse } from '../helpers/database.ts'

let warehouse: Warehouse
useWarehouse((opened) => {
  warehouse = opened
})

/** Postgres stores no NUL and no half of a surrogate pair; the program removes both before. */
const texts = fc.oneof(
  fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
  fc.constantFrom(
    'null',
    'NULL',
    '',
    '{}',
    ',',
    '"',
    '\\',
    '\\n',
    '\\"',
    ' a ',
    '\u007f',
    '\u2028',
  ),
  fc
    .array(fc.constantFrom('\\', '"', '\n', 'n', '\u0001', '{', ','))
    .map((parts) => parts.join('')),
)

it('the array text is read by Postgres unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(texts), { maxLength: 12 }), async (values) => {
      const { rows } = await sql<{ same: unknown }>`
        select to_json(${arrayText(values)}::text[]) as same`.execute(warehouse.db)
      expect(rows[0]?.same).toEqual(values)
    }),
    { numRuns: 300 },
  )
})

it('an array becomes one text, unless JSON escapes one of its control characters', () => {
  expect(arrayText(['a "b"', 'c:\\', null])).toBe(String.raw`{"a \"b\"","c:\\",null}`)
  expect(arrayText([1, -2.5, true, false])).toBe('{1,-2.5,true,false}')
  expect(arrayText(['two\nlines'])).toEqual(['two\nlines'])
})
