import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { commonPattern } from '../../src/core/values/common-pattern.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { useWarehouse } from '../helpers/database.ts'

let warehouse: Warehouse
useWarehouse((opened) => (warehouse = opened), { poolSize: 1 })

const KEYS =
  'sales-emea-daily,sales,presales-1,care_2,Room 7,a.b,a-b,ünî-1,x{2},aaa,[x],one-on-one,12,1200,'.split(
    ',',
  )
const PATTERNS =
  '^sales- sales|care ^(?:a|b).b$ a\\.b [0-9]{2,3} ^[a-z]+-[0-9]$ [a-c-]{3} ' +
  '^[^a-z]+$ (on)e-on a{3} x\\{2\\} ^$ a*?b \\[x\\]'

it.each(PATTERNS.split(' '))(
  'the pattern %s matches the same keys here and in Postgres',
  async (pattern) => {
    expect(commonPattern().safeParse(pattern).success).toBe(true)
    const { rows } = await sql<{ key: string }>`
    select key from unnest(${KEYS}::text[]) key where key ~ ${pattern}`.execute(warehouse.db)
    const ours = KEYS.filter((key) => new RegExp(pattern, 'u').test(key))
    expect(rows.map(({ key }) => key).toSorted()).toEqual(ours.toSorted())
  },
)

it.each([
  ['(sales', 'Unterminated group'],
  ['a{2', 'Incomplete quantifier'],
  ['*a', 'Nothing to repeat'],
  ['\\bsales', 'which has \\b'],
  ['\\w+', 'which has \\w'],
  ['(a)\\1', 'which has \\1'],
  ['(?i)sales', 'which has (?i'],
  ['(?=a)', 'which has (?='],
  ['[[:alpha:]]', 'which has [:'],
  ['[^]', 'which has [^]'],
  ['a{1,300}', 'at most 255 times'],
  ['a\u0000', 'control characters'],
])('the pattern %s is refused', (pattern, why) => {
  const { error } = commonPattern().safeParse(pattern)
  expect(error?.issues[0]?.message).toContain(why)
})
