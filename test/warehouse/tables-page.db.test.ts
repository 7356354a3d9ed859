import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { streams } from '../../src/account/catalog.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import { labelCodes } from '../../src/warehouse/code-labels.ts'
import { grantRoles } from '../../src/warehouse/roles.ts'
import { BOOKKEEPING, ENDING, OWNER } from '../../src/warehouse/schema/bookkeeping.ts'
import { REPORT_VIEWS, VALIDITY } from '../../src/warehouse/schema/report-views.ts'
import { openWorld, TINY, WORLD_NOW, type World } from '../helpers/world.ts'
import { printTablesPage } from './print-tables-page.ts'
import { QUESTIONS } from './questions.ts'
import { parentOf, referencesIn, relationsOf } from './relations.ts'

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

it('docs/tables.md matches the declarations (npm run docs:tables)', () => {
  expect(read('docs/tables.md')).toBe(printTablesPage())
  expect(read('README.md')).toContain('(docs/tables.md)')
})

describe('the description of each table and column', () => {
  const own = streams.flatMap(({ about, columns }) => [
    about,
    ...Object.values(columns).map((column) => column.about),
  ])
  const views = Object.values(REPORT_VIEWS).flatMap(({ about, columns }) => [
    about,
    ...Object.values(columns),
  ])
  const rest = Object.values({ ...OWNER, ...BOOKKEEPING, ...ENDING, ...VALIDITY })
  const all = [...own, ...rest, ...views]

  it('is one sentence of at most 22 words', () => {
    expect(all.length).toBeGreaterThan(300)
    expect(all.filter((said) => !/^[A-Z][^|`]*[^.]\.$/.test(said))).toEqual([])
    expect(all.filter((said) => said.split(' ').length > 22)).toEqual([])
  })

  it('names only existing columns', () => {
    const named = own.flatMap(referencesIn)
    expect(named.length).toBeGreaterThan(25)
    const missing = named.filter(([table, column]) => {
      const stream = streams.find(({ name }) => name === table)
      return stream !== undefined && !Object.hasOwn(stream.columns, column)
    })
    expect(missing).toEqual([])
  })

  it('names the parent if the key refers to it', () => {
    const children = streams.filter((stream) => parentOf(stream) !== undefined)
    expect(children.length).toBeGreaterThan(15)
    for (const { name, columns, ...stream } of children) {
      const [{ to, by } = { to: '', by: ['', ''] }] = relationsOf({ name, columns, ...stream })
      const [column = '', target = ''] = by
      expect(`${name}: ${columns[column]?.about ?? ''}`).toContain(`from ${to}.${target}.`)
    }
  })
})

describe('the fifteen questions of docs/tables.md, asked by the reporter,', () => {
  const reporter = `bi_${process.pid}`
  let world: World
  beforeAll(async () => {
    const sizes = { ...TINY, sessions: 300, recordings: 120, numbers: 80 }
    world = await openWorld({ sizes })
    await world.sync()
    await world.mutate()
    await world.advance(6 * DAY_MS)
    await world.sync({ full: true })
    // In this company every number may send under some policy, so the consents of one are removed.
    await sql`
      update svc.sms_consent_numbers set _deleted_at = callsheet.clock() where phone_number_id =
        (select min(id) from svc.phone_numbers where 'Messaging' = any(capability))`.execute(
      world.warehouse.db,
    )
    await sql`create role ${sql.id(reporter)}`.execute(world.warehouse.db)
    await grantRoles(world.warehouse, { reporter })
    await labelCodes(world.warehouse, streams)
  }, 120_000)
  afterAll(async () => {
    await sql`drop owned by ${sql.id(reporter)}`.execute(world.warehouse.db)
    await sql`drop role ${sql.id(reporter)}`.execute(world.warehouse.db)
    await world.close()
  })

  it('are exactly fifteen', () => {
    expect(QUESTIONS).toHaveLength(15)
  })

  it.each(QUESTIONS.map((question) => [question.asked, question] as const))(
    'have an answer in a small account: %s',
    async (_asked, question) => {
      // The world has its own clock.
      const now = `timestamptz '${new Date(Date.parse(WORLD_NOW) + 6 * DAY_MS).toISOString()}'`
      const text = question.sql.replaceAll('now()', now)
      const rows = await world.warehouse.transaction(async (tx) => {
        await sql`set local role ${sql.id(reporter)}`.execute(tx)
        return (await sql.raw(text).execute(tx)).rows
      })
      expect(rows.length).toBeGreaterThan(0)
    },
  )
})
