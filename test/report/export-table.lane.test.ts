import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { streams } from '../../src/account/catalog.ts'
import type { TableFormat } from '../../src/core/define/report-format.ts'
import { type ExportedTable, exportTable } from '../../src/report/export-table.ts'
import { erase } from '../erasure/stage.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { askDuckDb, metadataIn, quoted, typesIn } from './duckdb.ts'
import { parseCsv } from './files/parse-csv.ts'

const account = 'account-0'
const TYPES: Readonly<Record<string, string>> = {
  text: 'VARCHAR',
  'text[]': 'VARCHAR[]',
  bigint: 'BIGINT',
  boolean: 'BOOLEAN',
  timestamptz: 'TIMESTAMP WITH TIME ZONE',
  jsonb: 'VARCHAR',
}
let world: World
let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-tables-'))
  world = await openWorld({ sizes: TINY })
  await world.sync()
})
afterAll(async () => {
  await world.close()
  await rm(directory, { recursive: true })
})

const named = (name: string) => {
  const stream = streams.find((one) => one.name === name)
  if (stream === undefined) throw new Error(`There is no stream ${name}`)
  return stream
}

const write = (name: string, format: TableFormat, endedByMs?: number): Promise<ExportedTable> =>
  exportTable(world.warehouse, { account, stream: named(name), format, directory, endedByMs })

const pathOf = ({ files }: ExportedTable): string => files[0]?.path ?? ''

/** The rows of the table read by SQL, each value in the text form that DuckDB returns. */
async function rowsOf(name: string): Promise<Record<string, unknown>[]> {
  const { columns, key } = named(name)
  const shown = Object.entries(columns).map(([column, { pg }]) => {
    const value = sql.id(column)
    if (pg === 'timestamptz')
      return sql`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') as ${value}`
    if (pg === 'text[]') return sql`to_jsonb(${value})::text as ${value}`
    return pg === 'boolean' || pg === 'text' ? value : sql`${value}::text as ${value}`
  })
  const keys = sql.join(key.map((one) => sql.id('t', one)))
  const { rows } = await sql<Record<string, unknown>>`select ${sql.join(shown)}
    from ${sql.id('svc', name)} t where account = ${account} and _deleted_at is null
    order by ${keys}`.execute(world.warehouse.db)
  return rows
}

async function rowsIn(path: string, name: string): Promise<Record<string, unknown>[]> {
  const shown = Object.entries(named(name).columns).map(([column, { pg }]) => {
    if (pg === 'timestamptz') return `strftime("${column}", '%Y-%m-%d %H:%M:%S.%f') as "${column}"`
    if (pg === 'text[]') return `"${column}"::json::varchar as "${column}"`
    return pg === 'bigint' ? `"${column}"::varchar as "${column}"` : `"${column}"`
  })
  return await askDuckDb(`select ${shown.join(', ')} from ${quoted(path)}`)
}

describe('every table, written as Parquet and read by DuckDB', () => {
  it('has the types, values and nulls that Postgres has, in the order of the keys', async () => {
    let looked = 0
    for (const { name, columns } of streams) {
      const exported = await write(name, 'parquet').catch((error: unknown) => {
        expect([name, error]).toEqual([name, expect.objectContaining({ code: 'never_synced' })])
        return undefined
      })
      if (exported === undefined) continue
      const path = pathOf(exported)
      const types = Object.entries(columns).map(([column, { pg }]) => [column, TYPES[pg]])
      expect([name, await typesIn(path)]).toEqual([
        name,
        {
          ...Object.fromEntries(types),
          _first_seen_at: 'TIMESTAMP WITH TIME ZONE',
          _changed_at: 'TIMESTAMP WITH TIME ZONE',
        },
      ])
      const found = (await rowsIn(path, name)).map((row) => withoutBlanks(row))
      const expected = (await rowsOf(name)).map((row) => withoutBlanks(row))
      expect([name, found]).toEqual([name, expected])
      expect(exported.rows).toBe(expected.length)
      looked += expected.length
    }
    expect(looked).toBeGreaterThan(200)
  })

  it('is readable only by its owner, named by account, table and day, and recorded', async () => {
    const exported = await write('users', 'parquet')
    expect(pathOf(exported)).toMatch(/\/account-0-table-users-\d{4}-\d\d-\d\d\.parquet$/)
    expect((await stat(pathOf(exported))).mode & 0o777).toBe(0o600)
    const { rows } = await sql<{ params: unknown; files: unknown }>`
      select params, files from callsheet.published_reports where report = 'table-export'
      order by id desc limit 1`.execute(world.warehouse.db)
    expect(rows).toEqual([
      { params: { stream: 'users', format: 'parquet' }, files: exported.files },
    ])
  })
})

/** Parses JSON values, since Postgres puts a blank after each comma and DuckDB does not. */
function withoutBlanks(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const json = typeof value === 'string' && /^[[{]/.test(value)
      return [name, json ? (JSON.parse(value) as unknown) : value]
    }),
  )
}

describe('the coverage of a table', () => {
  it('is in the metadata, with the run and the meaning of the columns', async () => {
    const exported = await write('phone_numbers', 'parquet')
    const { rows } = await sql<{ run: number; ended: string }>`
      select max(r.id) as run,
        to_char(max(r.finished_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ended
      from callsheet.runs r
      where account = ${account} and state = 'complete' and job = 'phone-numbers'`.execute(
      world.warehouse.db,
    )
    const facts = await metadataIn(pathOf(exported))
    expect(facts).toMatchObject({
      'callsheet.account': account,
      'callsheet.stream': 'phone_numbers',
      'callsheet.as_of': rows[0]?.ended,
      'callsheet.runs': JSON.stringify([rows[0]?.run]),
      'callsheet.time_zone': 'UTC',
      'callsheet.whole': 'true',
      'callsheet.verdict': 'The data is complete: every slice was read to its end.',
      'callsheet.incomplete_slices': '[]',
    })
    expect(JSON.parse(facts['callsheet.columns'] ?? '{}').id).toBe(
      named('phone_numbers').columns.id?.about,
    )
    expect(exported).toMatchObject({ whole: true, verdict: facts['callsheet.verdict'] })
  })

  it('names the incomplete slices; for a CSV file, they are in a separate file beside it', async () => {
    const broken = sql`update callsheet.slices set state = 'failed' where account = ${account}
      and stream = 'users' and slice = (select min(slice) from callsheet.slices where stream = 'users')
      returning slice`
    const { rows } = await broken.execute(world.warehouse.db)
    const { slice } = rows[0] as { slice: string }
    try {
      const exported = await write('users', 'parquet')
      expect(exported).toMatchObject({
        whole: false,
        verdict: expect.stringContaining('NOT complete'),
      })
      const facts = await metadataIn(pathOf(exported))
      expect(facts['callsheet.whole']).toBe('false')
      expect(JSON.parse(facts['callsheet.incomplete_slices'] ?? '')).toEqual([
        { slice, state: 'failed' },
      ])
      const csv = await write('users', 'csv')
      expect(csv.files.map(({ path }) => path.split('.').slice(1).join('.'))).toEqual([
        'csv',
        'coverage.json',
      ])
      expect(JSON.parse(await readFile(csv.files[1]?.path ?? '', 'utf8'))).toMatchObject({
        stream: 'users',
        whole: false,
        coverage: [{ stream: 'users', slices_incomplete: 1, whole: false }],
        incomplete_slices: [{ slice, state: 'failed' }],
      })
    } finally {
      await sql`update callsheet.slices set state = 'complete' where account = ${account}
        and stream = 'users' and slice = ${slice}`.execute(world.warehouse.db)
    }
  })
})

it('a table exported as CSV has the same columns, emails and number of rows', async () => {
  const csv = await write('users', 'csv')
  const text = await readFile(pathOf(csv), 'utf8')
  const [head = [], ...lines] = parseCsv(text)
  const rows = await rowsOf('users')
  expect(head).toEqual([...Object.keys(named('users').columns), '_first_seen_at', '_changed_at'])
  expect(lines.map((line) => line[head.indexOf('email')])).toEqual(rows.map(({ email }) => email))
  expect(lines).toHaveLength(csv.rows)
})

it('a table exported as of an earlier time has the rows of that time', async () => {
  const { asOfMs } = await write('phone_numbers', 'parquet')
  const before = await rowsOf('phone_numbers')
  await world.advance(3_600_000)
  await world.mutate()
  await world.sync()
  const after = await rowsOf('phone_numbers')
  expect(after).not.toEqual(before)
  const blankless = (rows: Record<string, unknown>[]) => rows.map(withoutBlanks)
  const now = await write('phone_numbers', 'parquet')
  expect(blankless(await rowsIn(pathOf(now), 'phone_numbers'))).toEqual(blankless(after))
  const past = await write('phone_numbers', 'parquet', asOfMs)
  expect(blankless(await rowsIn(pathOf(past), 'phone_numbers'))).toEqual(blankless(before))
  expect(pathOf(past)).toMatch(/-as-of-\d{8}T\d{4}\.parquet$/)
  await expect(write('phone_numbers', 'parquet', 0)).rejects.toMatchObject({
    code: 'as_of_too_early',
  })
})

it('an exported table is written again without the person after an erasure', async () => {
  const { rows } = await sql<{ id: string; email: string }>`select id, email from svc.users
    where account = ${account} and email is not null order by id desc limit 1`.execute(
    world.warehouse.db,
  )
  const { id = '', email = '' } = rows[0] ?? {}
  const files = [await write('users', 'parquet'), await write('users', 'csv')]
  const said = async (): Promise<string> =>
    JSON.stringify(await rowsIn(pathOf(files[0]!), 'users')) +
    (await readFile(pathOf(files[1]!), 'utf8'))
  expect(await said()).toContain(email)
  const [erased] = await erase(world, { persons: [id] })
  expect(erased?.outcome.reports.undecided).toEqual([])
  const left = await said()
  expect(left).not.toContain(email)
  expect(left.length).toBeGreaterThan(1_000)
})
