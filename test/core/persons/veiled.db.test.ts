import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { identityOf, nameOf, tokenOf } from '../../../src/core/persons/identity.ts'
import { redactValue } from '../../../src/core/persons/redact.ts'
import { suppressionOf } from '../../../src/core/persons/suppression.ts'
import { unveiledText } from '../../../src/core/persons/veiled.ts'
import type { Warehouse } from '../../../src/warehouse/connect.ts'
import { useWarehouse } from '../../helpers/database.ts'
import { HOSTILE } from '../../security/hostile-strings.ts'
import { VEILS } from './veils.ts'

let warehouse: Warehouse
useWarehouse((opened) => (warehouse = opened))

const ID = 'Usr/Sofia+90aQ=='
const ADDRESS = 'sofia.ö.fiala@example.com'
const key = Buffer.alloc(32, 7)
const suppression = suppressionOf({
  key,
  persons: new Set([ID, ADDRESS].map((text) => tokenOf(key, identityOf(text)))),
  names: new Map([[tokenOf(key, nameOf('Sofia Fiala')), 'everywhere']]),
})
const left = (value: unknown) => redactValue({ personal: [] }, value, { suppression })

it.each(Object.entries(VEILS))(
  'an erased person is found in text with the encoding %s',
  (_name, veil) => {
    for (const text of [ID, ADDRESS]) {
      expect(unveiledText(veil(text))).toBe(text.normalize('NFKC'))
      expect(left({ a: veil(text), b: ['x', veil(text)], [veil(text)]: 1 })).toEqual({
        a: null,
        b: ['x'],
      })
      // Only the person is removed from a longer text, with the encoding around.
      expect(left(`see <${veil(text)}>, or Bob`)).toMatch(/^see <[^A-Za-z0-9%\\]*>, or Bob$/)
      expect(left(`${veil(`see ${text} and`)} Bob`)).not.toContain(veil(text))
    }
    expect(left({ display_name: veil('Sofia Fiala') })).toEqual({ display_name: null })
  },
)

it.each(Object.entries(VEILS))(
  'nobody else is found in text with the encoding %s',
  (_name, veil) => {
    for (const text of [
      `x${ADDRESS}`,
      `${ADDRESS}.au`,
      `a${ID}`,
      'Sofia Fialas',
      '100 % of \\u and %zz',
    ]) {
      const value = { a: veil(text), display_name: veil(text), b: `see ${veil(text)}` }
      expect(left(value)).toBe(value)
    }
  },
)

it('text is decoded in the database as in the program', async () => {
  const texts = [
    ID,
    ADDRESS,
    'Straße 5 ½ % 100',
    'C:\\users\\u',
    '%zz %e0%80%80 &#0; \\ud800 %',
    ...HOSTILE,
  ]
  const said = texts
    .map((text) => text.replaceAll('\0', '').toWellFormed())
    .flatMap((text) => [text, ...Object.values(VEILS).map((veil) => veil(text))])
  const { rows } = await sql<{ plain: string; veiled: boolean }>`
    select callsheet.unveiled(t) as plain, callsheet.veiled(t) as veiled
    from unnest(${said}::text[]) with ordinality u(t, n) order by n`.execute(warehouse.db)
  let veiled = 0
  for (const [at, text] of said.slice(0, 2 * (1 + Object.keys(VEILS).length)).entries()) {
    expect({ text, plain: rows[at]?.plain }).toEqual({ text, plain: unveiledText(text) })
    if (rows[at]?.veiled === true) veiled++
  }
  expect(veiled).toBeGreaterThan(40)
  expect(rows).toHaveLength(said.length)
})

const RUN = '\\'.repeat(200_000)
it.each([
  ['that encode nothing', `a\\/b${RUN}c`, `a/b${RUN}c`],
  ['with a letter between each', `\\/${'\\x'.repeat(20_000)}`, `/${'\\x'.repeat(20_000)}`],
  ['before an escape', `${RUN}u0061 ${RUN}/`, 'a /'],
  ['between the halves of a character', `${RUN}ud83d${RUN}ude00`, '\u{1f600}'],
  ['after half a character', `\\ud83d${RUN}x`, `\\ud83d${RUN}x`],
  [
    'beside other signs',
    `\\/${RUN}${'%'.repeat(1_000)}${'&#'.repeat(1_000)}`,
    `/${RUN}${'%'.repeat(1_000)}${'&#'.repeat(1_000)}`,
  ],
])('many backslashes %s are decoded quickly in the database', async (_where, said, plain) => {
  const found = await warehouse.db.transaction().execute(async (tx) => {
    await sql`set local statement_timeout = '5s'`.execute(tx)
    const { rows } = await sql<{ veiled: boolean; plain: boolean }>`
      select callsheet.veiled(t) as veiled, callsheet.unveiled(t) = ${plain} as plain
      from (select ${said}::text as t) s`.execute(tx)
    return rows
  })
  expect(found).toEqual([{ veiled: true, plain: true }])
})

it('a long text is searched quickly in every encoding', () => {
  const before = process.cpuUsage().user
  for (const veil of Object.values(VEILS)) left([veil('x/y=z'.repeat(20_000)), 'x'])
  expect(process.cpuUsage().user - before).toBeLessThan(8_000_000)
})
