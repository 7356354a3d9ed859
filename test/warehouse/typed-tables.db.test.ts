import { readFileSync } from 'node:fs'
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import { expect, inject, it } from 'vitest'
import { z } from 'zod'
import { tableColumns, tableOf } from '../../reports/shared/query.ts'
import { defineReport, type ReportContext } from '../../src/core/define/report.ts'
import { rowsAsOf } from '../../src/report/report-rows.ts'
import { phoneNumbers } from '../../src/resources/phone-numbers.ts'
import { smsConsents } from '../../src/resources/sms-consents.ts'
import { users } from '../../src/resources/users.ts'
import type { Database } from '../../src/warehouse/schema/types.ts'
import { onDatabase, TEMPLATE } from '../helpers/database-url.ts'
import { printTables, TABLES_FOLDER } from './print-tables.ts'

it('the types of the ledgers match the migrated database (npm run tables)', async () => {
  const files = await printTables(onDatabase(inject('serverUrl'), TEMPLATE))
  const written = Object.keys(files).map((name) => [
    name,
    readFileSync(new URL(name, TABLES_FOLDER), 'utf8'),
  ])
  expect(Object.fromEntries(written)).toEqual(files)
})

/** Compiles statements without sending them. */
const db = new Kysely<Database>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (one) => new PostgresIntrospector(one),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

it('a query of a missing column or table does not compile', () => {
  const all = db.selectFrom('svc.users').where('account', '=', 'a')
  expect(all.select(['id', 'email', '_deleted_at']).compile().sql).toContain('"email"')
  const unread = [
    // @ts-expect-error a misspelled column of a stream
    () => all.select('emial'),
    // @ts-expect-error a misspelled column of a ledger
    () => db.selectFrom('callsheet.runs').select('finished'),
    // @ts-expect-error a table of no stream
    () => db.selectFrom('svc.usres'),
    // @ts-expect-error a state that does not exist
    () => db.updateTable('callsheet.runs').set({ state: 'ended' }),
    // @ts-expect-error a number where the column is text
    () => db.selectFrom('history.whiteboards').where('name', '=', 7),
  ]
  expect(unread).toHaveLength(5)
})

const roster = defineReport({
  name: 'roster',
  title: 'Roster',
  params: z.object({}),
  needs: [users],
  optional: [smsConsents],
  periods: () => undefined,
  build: async () => [],
})

it('a report that reads an undeclared column or stream does not compile', () => {
  type Context = Parameters<(typeof roster)['build']>[0]
  const rows: Context['rows'] = (stream) => rowsAsOf(stream, 'a', { id: 1, finishedAt: '' })
  const found = db.selectFrom(rows(users).as('u'))
  const consents = db.selectFrom(rows(smsConsents).as('c'))
  expect(found.select(['u.email', 'u._first_seen_at']).compile().sql).toContain('"u"."email"')
  expect(consents.select('c.consent_name').compile().sql).toContain('"svc"."sms_consents"')
  const columns = tableColumns([{ name: 'email', title: 'E-mail', format: 'text' }])
  const unread = [
    // @ts-expect-error a misspelled column of a stream
    () => found.select('u.emial'),
    // @ts-expect-error a column of the tables that reports do not have
    () => found.select('u._raw'),
    // @ts-expect-error a stream that the report does not name
    () => rows(phoneNumbers),
    // @ts-expect-error a context of fewer streams than the report reads
    (fewer: Context): ReportContext<unknown, typeof users | typeof phoneNumbers> => fewer,
    // @ts-expect-error a column of a ledger that reports do not read
    (context: Context) => context.db.selectFrom('callsheet.erasure_requests').select('subject'),
    // @ts-expect-error a column of the sheet that the query does not fetch
    () => tableOf({ title: 'Everybody', columns }, [{ emial: 'a@b.example' }]),
  ]
  expect(unread).toHaveLength(6)
})
