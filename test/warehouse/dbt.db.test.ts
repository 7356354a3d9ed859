import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openWorld, TINY, WORLD_NOW, type World } from '../helpers/world.ts'
import { dataContract } from './data-contract.ts'
import { type DataTest, dbtProject, loadedAt, sourceTables } from './dbt-project.ts'

const PACKAGING = join(import.meta.dirname, '../../packaging')
const read = (path: string): string => readFileSync(join(PACKAGING, path), 'utf8')

it('packaging/dbt and the data contract are as npm run dbt prints them', () => {
  const project = dbtProject()
  expect(globSync('**/*.*', { cwd: join(PACKAGING, 'dbt') }).toSorted()).toEqual(
    Object.keys(project).toSorted(),
  )
  for (const [path, content] of Object.entries(project)) expect(read(`dbt/${path}`)).toBe(content)
  expect(read('callsheet.odcs.yaml')).toBe(dataContract())
})

describe('on a synced account', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ sizes: TINY })
    await world.sync()
    await world.mutate()
    await world.advance(86_400_000)
    await world.sync({ full: true })
  }, 120_000)
  afterAll(() => world.close())

  const failures = async (text: string): Promise<number> =>
    (await sql.raw(text).execute(world.warehouse.db)).rows.length

  it.each(sourceTables().map((table) => [table.name, table] as const))(
    'every dbt test of %s passes',
    async (name, { data_tests, columns }) => {
      const { rows: drift } = await sql<{ path: string }>`
        select path from callsheet.drift
        where stream = ${name} and kind = 'unknown_value'`.execute(world.warehouse.db)
      const tests = [
        ...data_tests.map((test) => ({ test, column: '' })),
        ...columns.flatMap(({ name: column, data_tests: own = [] }) =>
          own.map((test) => ({ test, column })),
        ),
      ]
      for (const { test, column } of tests) {
        const text = sqlOf(test, name, column)
        // A warning: the sandbox also sends values that are not documented.
        const warns = typeof test === 'object' && 'accepted_values' in test
        const expected = warns ? drift.filter(({ path }) => path.endsWith(column)).length : 0
        expect([text, await failures(text)]).toEqual([text, expected])
      }
    },
  )

  it('each kind of test returns the rows that break its rule', async () => {
    const { db } = world.warehouse
    const table = (name: string) => sourceTables().find((one) => one.name === name)
    const parent = table('whiteboard_activities')?.data_tests.at(-1) as DataTest
    await sql`create table report.broken as
      select account, 'gone' as session_id, id, ${null}::text as status from report.whiteboard_activities
      union all select account, 'gone', id, 'odd' from report.whiteboard_activities`.execute(db)
    const rows = await failures('select 1 from report.broken')
    expect(rows).toBeGreaterThan(2)
    const values = { accepted_values: { arguments: { values: ['even'] }, config: {} } }
    const key = { unique_key: { arguments: { columns: ['account', 'id'] } } }
    expect(await failures(sqlOf(parent, 'broken'))).toBe(rows)
    expect(await failures(sqlOf('not_null', 'broken', 'status'))).toBe(rows / 2)
    expect(await failures(sqlOf(values, 'broken', 'status'))).toBe(1)
    expect(await failures(sqlOf(key, 'broken'))).toBe(rows / 2)
    await sql`drop table report.broken`.execute(db)
  })

  it('a table is loaded when its last reading to the end began, or never', async () => {
    const loaded = async (table: string): Promise<unknown[]> =>
      (await sql.raw<{ coalesce: string }>(loadedAt(table)).execute(world.warehouse.db)).rows.map(
        (row) => Date.parse(row.coalesce),
      )
    const tonight = Date.parse(WORLD_NOW) + 86_400_000
    expect(await loaded('users')).toEqual([tonight])
    await world.faults([{ operation: 'users.list', kind: 'status', status: 500 }])
    await world.advance(86_400_000)
    await world.sync()
    expect(await loaded('users')).toEqual([tonight])
    expect(await loaded('session_reports')).toEqual([tonight + 86_400_000])
    await sql`insert into callsheet.leases (account, epoch, expires_at) values ('new', 1, now())`.execute(
      world.warehouse.db,
    )
    expect(await loaded('session_reports')).toEqual([0])
  })

  it('each staging model selects the columns of its view', async () => {
    const models = Object.entries(dbtProject()).filter(([path]) =>
      path.startsWith('models/staging/'),
    )
    expect(models.length).toBeGreaterThan(30)
    for (const [, text] of models)
      await sql.raw(withoutJinja(`${text} limit 0`, {})).execute(world.warehouse.db)
  })
})

/** The SQL that dbt runs for a test: its own two kinds as documented, ours from their files. */
function sqlOf(test: DataTest, table: string, column = ''): string {
  if (test === 'not_null') return `select * from report.${table} where ${column} is null`
  if ('accepted_values' in test) {
    const values = test.accepted_values.arguments.values.map((value) => `'${value}'`).join(', ')
    return `select ${column} from report.${table} where ${column} not in (${values}) group by 1`
  }
  const [name = '', given] = Object.entries(test)[0] ?? []
  const args = { model: `report.${table}`, ...(given as { arguments: object }).arguments }
  return withoutJinja(read(`dbt/tests/generic/${name}.sql`), args)
}

/** Renders the little Jinja that the project uses. */
function withoutJinja(text: string, args: Readonly<Record<string, unknown>>): string {
  return text
    .replaceAll(/\{% .*? %\}/g, '')
    .replaceAll(/\{\{ (\w+) \| join\(', '\) \}\}/g, (_, name: string) =>
      (args[name] as string[]).join(', '),
    )
    .replaceAll(/\{\{ (\w+) \}\}/g, (_, name: string) => `{{ ${String(args[name])} }}`)
    .replaceAll(/\{\{ source\('callsheet', '(\w+)'\) \}\}/g, 'report.$1')
    .replaceAll(/\{\{ (report\.\w+) \}\}/g, '$1')
}
