import { join } from 'node:path'
import { connect } from '../src/warehouse/connect.ts'
import type { Archived, ArchiveOrder } from './archive-ours.ts'
import type { PlainOrder } from './archive-plain.ts'
import { activityOf, FILE_BYTES, FILES_EACH, sessionOf } from './archive-rows.ts'
import { runChild, startChild } from './child.ts'
import { type BenchDatabase, openDatabase } from './database.ts'
import { type Figure, mebibytes, ratioFigure, seconds, type Table } from './figures.ts'
import type { Part, PartOptions } from './part.ts'
import { BENCH_NOW_MS } from './session-rows.ts'
import type { Spent } from './spent.ts'

export const archivePart: Part = {
  about: 'files of activities into the archive, beside a plain download that flushes each file',
  async measure(options) {
    const files = options.rows ?? (options.quick ? 5_000 : 100_000)
    const { ours, plain } = await measure(files, options)
    const rate = ({ rows, wallMs }: Spent): number => (rows * 1000) / wallMs
    const named = (what: string): string => `${files.toLocaleString('en')} files: ${what}`
    const beside = { rate: rate(ours), beside: rate(plain), name: 'the plain download' }
    const memory: Figure = {
      what: named('peak memory'),
      measured: mebibytes(ours.peakBytes),
      target: `<= ${mebibytes(MEMORY_LIMIT)}`,
      met: ours.peakBytes <= MEMORY_LIMIT,
    }
    return {
      figures: [ratioFigure(named('archived'), beside, 0.6), memory],
      tables: [costTable(files, { ours, plain })],
    }
  },
}

/**
 * Both in turns, and of each the fastest counts: a busy machine flatters and slanders nobody. No file is
 * removed before all are done, since ext4 goes through what was just removed for each new file.
 */
async function measure(files: number, options: PartOptions) {
  const server = await startChild<object, { url: string }>('archive-server.ts', { files })
  const databases: BenchDatabase[] = []
  const plain: Spent[] = []
  const ours: (Archived & { postgresCpuMs: number })[] = []
  try {
    const { url } = server.result
    for (let turn = 0; turn < TURNS; turn++) {
      const database = await openDatabase()
      databases.push(database)
      const directory = join(database.directory, 'plain')
      const order: PlainOrder = { url, directory, files, atOnce: 16 }
      plain.push(await runChild<PlainOrder, Spent>('archive-plain.ts', order))
      ours.push(await archiveOnce(database, { url, files }, options))
    }
  } finally {
    for (const database of databases) await database.stop()
    await server.stop()
  }
  const peakBytes = Math.max(...ours.map((one) => one.peakBytes))
  return { ours: { ...fastest(ours), peakBytes }, plain: fastest(plain) }
}

async function archiveOnce(
  database: BenchDatabase,
  { url, files }: { url: string; files: number },
  options: PartOptions,
) {
  const { directory, url: databaseUrl } = database
  await fillTables(databaseUrl, files)
  const started = await database.done()
  const ours = await runChild<ArchiveOrder, Archived>(
    'archive-ours.ts',
    { url, databaseUrl, directory },
    { nodeFlags: options.nodeFlags, profileDirectory: options.profileDirectory },
  )
  if (ours.stored !== files || ours.state !== 'complete')
    throw new Error(`It ended ${ours.state} with ${ours.stored}: ${ours.problems.join('; ')}`)
  const { cpuMs = 0 } = await database.done()
  return { ...ours, postgresCpuMs: cpuMs - (started.cpuMs ?? 0) }
}

function fastest<T extends Spent>(turns: readonly T[]): T {
  return turns.reduce((best, one) => (one.wallMs < best.wallMs ? one : best))
}

/** The rows that a sync would have left, and its mark that the manifest tells of them. */
async function fillTables(databaseUrl: string, files: number): Promise<void> {
  const warehouse = connect({ url: databaseUrl, poolSize: 1 })
  // Of a run before all, so that the bench enters files alone.
  const kept = `'{}'::jsonb, '\\x00'::bytea, now(), now(), -1`
  const columns = '_raw, _hash, _first_seen_at, _changed_at, _run_id'
  const expiresAt = new Date(BENCH_NOW_MS + 30 * 86_400_000).toISOString()
  const name = (make: (n: number) => string, from: string): string =>
    `'${make(0).replace(/0$/, '')}' || (${from})`
  await warehouse.withClient(async (client) => {
    await client.query(`insert into svc.whiteboard_sessions (account, id, expire_time, ${columns})
      select 'bench', ${name(sessionOf, 'n')}, '${expiresAt}'::timestamptz + n * interval '1 second', ${kept}
      from generate_series(0, ${Math.ceil(files / FILES_EACH) - 1}) n`)
    await client.query(`insert into svc.whiteboard_activities (account, session_id, id, ${columns})
      select 'bench', ${name(sessionOf, `n / ${FILES_EACH}`)}, ${name(activityOf, 'n')}, ${kept}
      from generate_series(0, ${files - 1}) n`)
    await client.query(`select setval(pg_get_serial_sequence('callsheet.runs', 'id'), 2)`)
    await client.query('analyze svc.whiteboard_sessions, svc.whiteboard_activities')
  })
  await warehouse.close()
}

function costTable(
  files: number,
  costs: Record<'ours' | 'plain', Spent & { postgresCpuMs?: number }>,
): Table {
  const lines = Object.entries(costs).map(([name, { rows, wallMs, cpuMs, ...cost }]) => [
    name,
    seconds(wallMs),
    Math.round((rows * 1000) / wallMs).toLocaleString('en'),
    `${((cpuMs / rows) * 1000).toFixed(0)} µs`,
    `${(((cost.postgresCpuMs ?? 0) / rows) * 1000).toFixed(0)} µs`,
    mebibytes(cost.peakBytes),
  ])
  return {
    title: `archive: ${files.toLocaleString('en')} files of ${FILE_BYTES / 1024} KB`,
    lines: [['who', 'wall', 'files/s', 'CPU a file', 'of Postgres', 'peak memory'], ...lines],
  }
}

const TURNS = 2
const MEMORY_LIMIT = 200 * 2 ** 20
