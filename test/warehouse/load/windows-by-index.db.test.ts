import { type Compilable, sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { streams } from '../../../src/account/catalog.ts'
import type { Window } from '../../../src/core/time/spans.ts'
import { DAY_MS } from '../../../src/core/time/time.ts'
import type { DatabaseClient, Warehouse } from '../../../src/warehouse/connect.ts'
import { dayCounts } from '../../../src/warehouse/load/daily-counts.ts'
import { fingerprintsOf } from '../../../src/warehouse/load/fingerprints.ts'
import { useWarehouse } from '../../helpers/database.ts'

const account = 'a'
const TO_MS = Date.parse('2026-07-01T00:00:00Z')
const MONTH: Window = { fromMs: TO_MS - 30 * DAY_MS, toMs: TO_MS }

let warehouse: Warehouse
useWarehouse((opened) => (warehouse = opened))

const windowed = streams.flatMap((stream) =>
  stream.sync.kind === 'windows' ? [[stream.name, { stream, sync: stream.sync }] as const] : [],
)

/** A year of rows for each stream, with payloads that the queries should not read. */
beforeAll(async () => {
  for (const [name, { stream, sync }] of windowed) {
    const [table, key, at] = [sql.id('svc', name), sql.id(stream.key[0] ?? ''), sql.id(sync.cursor)]
    await sql`insert into ${table}
        (account, ${key}, ${at}, _raw, _hash, _run_id, _first_seen_at, _changed_at)
      select ${account}, md5(n::text), ${new Date(TO_MS).toISOString()}::timestamptz
          - n * interval '1 hour', jsonb_build_object('text', repeat(md5(n::text), 20)),
        decode(md5(n::text), 'hex'), 1, now(), now()
      from generate_series(1, 8760) n order by md5(n::text)`.execute(warehouse.db)
  }
  await warehouse.withClient(async (client) => {
    // Vacuum marks pages as visible to all only if the commit is on disk.
    await client.query('set synchronous_commit = on; select pg_current_xact_id()')
    // An older snapshot, such as that of an automatic analysis, holds a vacuum back.
    for (let tries = 0; tries < 50 && !(await areVisible(client)); tries++)
      await client.query('vacuum analyze')
    await client.query('reset synchronous_commit')
  })
})

it.each(windowed)(
  'the fingerprints of a month of %s are read from an index',
  async (_name, { stream, sync }) => {
    const owned = { kind: 'windows', column: sync.cursor, windows: [MONTH] } as const
    const nodes = await nodesOf(fingerprintsOf(warehouse, { account, stream, owned }))
    expect(nodes).toEqual(['Index Only Scan'])
  },
)

it.each(windowed)(
  'the days of a month of %s are counted from an index',
  async (_name, { stream, sync }) => {
    const of = { account, stream, root: stream, column: sync.cursor }
    const nodes = await nodesOf(dayCounts(of, MONTH))
    expect(nodes.filter((node) => node.endsWith('Scan'))).toEqual(['Index Only Scan'])
    // Each day is one group, so at most groups are sorted.
    expect(nodes).not.toContain('Sort')
  },
)

/** Whether all pages of the tables are marked as visible to all. */
async function areVisible(client: DatabaseClient): Promise<boolean> {
  const { rows } = await client.query<{ seen: boolean }>(
    `select bool_and(relpages > 0 and relallvisible >= relpages) as seen from pg_class
     where relnamespace = 'svc'::regnamespace and relname = any($1)`,
    [windowed.map(([name]) => name)],
  )
  return rows[0]?.seen === true
}

/** The nodes of Postgres's plan for a query. */
async function nodesOf(query: { compile(db: Warehouse['db']): ReturnType<Compilable['compile']> }) {
  const { sql: text, parameters } = query.compile(warehouse.db)
  const { rows } = await warehouse.withClient((client) =>
    client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(`explain (format json) ${text}`, [
      ...parameters,
    ]),
  )
  return rows.flatMap((row) => typesIn(row['QUERY PLAN'][0].Plan))
}

interface PlanNode {
  'Node Type': string
  Plans?: PlanNode[]
}

function typesIn({ 'Node Type': type, Plans: plans = [] }: PlanNode): string[] {
  return [type, ...plans.flatMap(typesIn)]
}
