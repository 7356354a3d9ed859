import { readFileSync } from 'node:fs'
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import { expect, inject, it } from 'vitest'
import type { Database } from '../../src/warehouse/connection/types.ts'
import { onDatabase, TEMPLATE } from '../helpers/database-url.ts'
import { printTables, TABLES_FOLDER } from './print-tables.ts'

it('the types of the ledgers are those of the migrated database (npm run tables)', async () => {
  const files = await printTables(onDatabase(inject('serverUrl'), TEMPLATE))
  const written = Object.keys(files).map((name) => [
    name,
    readFileSync(new URL(name, TABLES_FOLDER), 'utf8'),
  ])
  expect(Object.fromEntries(written)).toEqual(files)
})

/** Compiles statements, and sends none. */
const db = new Kysely<Database>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (one) => new PostgresIntrospector(one),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

it('a query of a column or table that is not there does not compile', () => {
  const users = db.selectFrom('svc.users').where('account', '=', 'a')
  expect(users.select(['id', 'email', '_deleted_at']).compile().sql).toContain('"email"')
  const unread = [
    // @ts-expect-error a misspelled column of a stream
    () => users.select('emial'),
    // @ts-expect-error a misspelled column of a ledger
    () => db.selectFrom('callsheet.runs').select('finished'),
    // @ts-expect-error a table that no stream has
    () => db.selectFrom('svc.usres'),
    // @ts-expect-error a state that no run has
    () => db.updateTable('callsheet.runs').set({ state: 'ended' }),
    // @ts-expect-error a number where the column is text
    () => db.selectFrom('history.whiteboards').where('name', '=', 7),
  ]
  expect(unread).toHaveLength(5)
})
