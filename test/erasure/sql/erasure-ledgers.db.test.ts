import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { scanTables } from '../../../src/erasure/sql/erasure-ledgers.ts'
import type { Transaction, Warehouse } from '../../../src/warehouse/connect.ts'
import { searchFor } from '../../core/persons/search-for.ts'
import { useWarehouse } from '../../helpers/database.ts'

const ID = 'Usr/Sofia+90aQ=='
const account = 'account-0'

let warehouse: Warehouse
useWarehouse((opened) => (warehouse = opened))
beforeAll(() =>
  enter(Array.from({ length: 200 }, (_, n) => `s/ab${n}%2F%2B%3D%3D/CC%402026%3A01%3A02`)),
)

it('the manifest query finds nothing without the person, and decodes no entry', async () => {
  const { found, unveiled } = await warehouse.transaction(scan)
  expect({ found, unveiled }).toEqual({ found: {}, unveiled: 0 })
})

it('the manifest query finds the person in any encoding', async () => {
  await enter([
    's/Usr%2FSofia%2B90aQ%3D%3D',
    's/Usr%2fSofi%61%2b90aQ%3d%3D',
    's/Usr%252FSofia%252B90aQ%3D%3D',
  ])
  await enter(['s/xUsr%2FSofia%2B90aQ%3D%3D'])
  const { found, unveiled } = await warehouse.transaction(scan)
  expect(found).toEqual({ 'callsheet.manifest': 3 })
  expect(unveiled).toBeGreaterThan(0)
})

/** Runs the search at the end of an erasure; returns its results and the number of texts that it decoded. */
async function scan(tx: Transaction): Promise<{ found: Record<string, number>; unveiled: number }> {
  await sql`set local track_functions = 'pl'`.execute(tx)
  const found = (await scanTables(tx, searchFor(ID))).named
  const { rows } = await sql<{ calls: number }>`
    select coalesce(pg_stat_get_xact_function_calls('callsheet.unveiled(text)'::regprocedure), 0)::int
      as calls`.execute(tx)
  return { found, unveiled: rows[0]?.calls ?? -1 }
}

async function enter(subjects: readonly string[]): Promise<void> {
  await sql`
    insert into callsheet.manifest (account, seq, kind, subject, line)
    select ${account}, n + (select count(*) from callsheet.manifest), 'record', subject,
      'callsheet 1 record ' || subject
    from unnest(${[...subjects]}::text[]) with ordinality s(subject, n)`.execute(warehouse.db)
}
