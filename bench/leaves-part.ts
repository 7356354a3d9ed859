import { connect, type DatabaseClient } from '../src/warehouse/connect.ts'
import { type BenchDatabase, openDatabase } from './database.ts'
import type { Figure } from './figures.ts'
import type { Part } from './part.ts'
import { BENCH_NOW_MS } from './session-rows.ts'

/** As many rows as a transaction of a first load takes at once. */
const BATCH = 10_000
const MOST_TIMES = 1.25

/** What the leaves of rows, from which evidence states what was written, cost Postgres in a first load. */
export const leavesPart: Part = {
  about: 'what the leaves of rows cost Postgres when session reports are copied into their table',
  async measure({ rows = 100_000, quick }) {
    const database = await openDatabase()
    const warehouse = connect({ url: database.url, poolSize: 1, statementTimeoutMs: 900_000 })
    try {
      const batches = Math.ceil((quick ? rows / 5 : rows) / BATCH)
      const figure = await warehouse.withClient(async (client) => {
        await prepare(client, batches)
        return await measureTurns(database, client, { batches, turns: quick ? 3 : 7 })
      })
      return { figures: [figure] }
    } finally {
      await warehouse.close()
      await database.stop()
    }
  },
}

/** Reports with payloads of a usual length, as COPY's text, which is the server's own to read. */
async function prepare(client: DatabaseClient, batches: number): Promise<void> {
  await client.query('create schema bench')
  await client.query('create table bench.prepared (like svc.session_reports including defaults)')
  const then = new Date(BENCH_NOW_MS).toISOString()
  for (let batch = 0; batch < batches; batch++) {
    await client.query('truncate bench.prepared')
    await client.query(
      `insert into bench.prepared (account, id, session_name, start_time, duration, user_count, _raw,
         _bytes, _hash, _first_seen_at, _changed_at, _run_id)
       select 'bench', md5(n::text), 'Session ' || n, $1::timestamptz - n * interval '1 minute', 60, 4,
         jsonb_build_object('id', md5(n::text), 'more', repeat(md5(n::text), 12)),
         convert_to(repeat(md5(n::text), 12), 'UTF8'), decode(md5(n::text), 'hex'), $1, $1, 1
       from generate_series($2::int + 1, $2::int + ${BATCH}) n`,
      [then, batch * BATCH],
    )
    await client.query(`copy bench.prepared to '${await fileOf(client, batch)}'`)
  }
}

async function fileOf(client: DatabaseClient, batch: number): Promise<string> {
  const { rows } = await client.query<{ data_directory: string }>('show data_directory')
  return `${rows[0]?.data_directory}/bench-${batch}.copy`
}

/** With and without in turns, so that what else the machine does weighs on both alike. */
async function measureTurns(
  database: BenchDatabase,
  client: DatabaseClient,
  { batches, turns }: { batches: number; turns: number },
): Promise<Figure> {
  const pairs: { plain: number; noted: number }[] = []
  for (let turn = 0; turn < turns; turn++) {
    const plain = await copyAll(database, client, { batches, triggers: 'disable' })
    const noted = await copyAll(database, client, { batches, triggers: 'enable' })
    pairs.push({ plain, noted })
  }
  pairs.sort((a, b) => a.noted / a.plain - b.noted / b.plain)
  const { plain, noted } = pairs[pairs.length >> 1] ?? { plain: Number.NaN, noted: Number.NaN }
  return {
    what: `COPY of ${(batches * BATCH).toLocaleString('en')} session reports, CPU of Postgres`,
    measured: `${(noted / plain).toFixed(2)} x without leaves`,
    beside: `${noted.toFixed(0)} to ${plain.toFixed(0)} ms`,
    target: `<= ${MOST_TIMES}`,
    met: noted <= MOST_TIMES * plain,
  }
}

async function copyAll(
  database: BenchDatabase,
  client: DatabaseClient,
  { batches, triggers }: { batches: number; triggers: 'enable' | 'disable' },
): Promise<number> {
  await client.query(`alter table svc.session_reports ${triggers} trigger user`)
  await client.query('truncate svc.session_reports, callsheet.written')
  await client.query('checkpoint')
  const before = await database.done()
  for (let batch = 0; batch < batches; batch++)
    await client.query(`copy svc.session_reports from '${await fileOf(client, batch)}'`)
  const after = await database.done()
  return (after.cpuMs ?? Number.NaN) - (before.cpuMs ?? Number.NaN)
}
