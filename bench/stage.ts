import { runChild, startChild } from './child.ts'
import { type BenchDatabase, openDatabase } from './database.ts'
import type { OursOrder, Synced } from './ours.ts'
import type { Asked } from './pages-server.ts'
import type { PartOptions } from './part.ts'
import { type Source, sources } from './sources.ts'
import type { Spent } from './spent.ts'

/** What a step took: of the contestant's process and of Postgres. */
export interface Cost extends Spent {
  postgresCpuMs: number | undefined
  walBytes: number
  /** Pages in it that the log took whole. */
  pageImages: number
  rowsWritten: number
}

export interface Reading extends Cost {
  /** Of the log, what the entries of slices in the ledger took; undefined where it was not read back. */
  ledgerWalBytes: number | undefined
  slices: number
  unchanged: number
  changed: number
  gone: number
  /** The first requests of the token chains that were followed. */
  paths: string[]
}

/** A server of pages and a database for one source, and the contestants, each in a process of its own. */
export interface Stage {
  database: BenchDatabase
  rows: number
  /** One sync; `step` names its profile. Each call is an hour later than the one before. */
  ours(step: string, coverageDirectory?: string): Promise<Reading>
  drain(paths: readonly string[]): Promise<Spent>
  /** The fastest way in, for the rows that the table holds. */
  copy(): Promise<Cost>
  script(): Promise<Cost>
  /** Changes one row in a hundred at the service, and deletes one of a hundred of these. */
  change(): Promise<void>
  close(): Promise<void>
}

export async function openStage(
  name: string,
  rows: number,
  { nodeFlags, profileDirectory }: PartOptions,
): Promise<Stage> {
  const source = sources[name] as Source
  const pages = await startChild<object, { url: string }>('pages-server.ts', { source: name, rows })
  const { url } = pages.result
  const database = await openDatabase(source)
  const order = { url, databaseUrl: database.url, directory: database.directory, source: name }
  const ask = async (path: string): Promise<unknown> => (await fetch(`${url}${path}`)).json()
  let syncs = 0
  let held = rows
  const ours: Stage['ours'] = async (step, coverageDirectory) => {
    // Forgets what the drains and the script asked for.
    await ask('/asked')
    const directory = profileDirectory && `${profileDirectory}/${name}-${rows}-${step}`
    const laterMs = 3_600_000 * syncs++
    const { spent, cost, ledgerWalBytes } = await costOf(database, () =>
      runChild<OursOrder, Synced>(
        'ours.ts',
        { ...order, laterMs },
        { nodeFlags, profileDirectory: directory, coverageDirectory },
      ),
    )
    const { state, problems, table, slices } = spent
    const { unchanged, updated: changed, deleted: gone } = table
    held -= gone
    if (state !== 'complete' || table.present !== held)
      throw new Error(`The sync ended ${state} with ${table.present} rows: ${problems.join('; ')}`)
    const { paths, calls } = (await ask('/asked')) as Asked
    const counts = { slices, unchanged, changed, gone, pages: calls, paths }
    return { ...spent, ...cost, ledgerWalBytes, ...counts }
  }
  const beside = async (file: string, more: object): Promise<Cost> => {
    const { spent, cost } = await costOf(database, () =>
      runChild<object, Spent>(file, { ...order, ...more }),
    )
    return { ...spent, ...cost }
  }
  return {
    database,
    rows,
    ours,
    drain: (paths) => runChild('drain.ts', { url, source: name, paths }),
    copy: () => beside('copy.ts', { from: `svc.${source.stream.name}` }),
    script: () => beside('plain-script.ts', { mostRows: SCRIPT_ROWS }),
    change: async () => void (await ask('/change')),
    async close() {
      await database.stop()
      await pages.stop()
    },
  }
}

async function costOf<T>(database: BenchDatabase, work: () => Promise<T>) {
  const before = await database.done()
  const spent = await work()
  const after = await database.done()
  const cpu = [before.cpuMs, after.cpuMs]
  const little = after.walBytes - before.walBytes < LITTLE_WAL_BYTES
  return {
    spent,
    ledgerWalBytes: little ? await database.ledgerWal(before, after) : undefined,
    cost: {
      rowsWritten: after.rows - before.rows,
      walBytes: after.walBytes - before.walBytes,
      pageImages: after.pageImages - before.pageImages,
      postgresCpuMs: cpu[0] === undefined || cpu[1] === undefined ? undefined : cpu[1] - cpu[0],
    },
  }
}

/** A million would take it minutes, at a rate that falls with the size of its table. */
const SCRIPT_ROWS = 200_000
/**
 * Reading a larger log back would take longer than the step. With a checkpoint behind it, a reading alone
 * logs each page that it is the first to look at.
 */
const LITTLE_WAL_BYTES = 2 ** 26
