import { type SqlBool, sql } from 'kysely'
import type { Report } from '../../core/declare/report.ts'
import type { Stream } from '../../core/declare/stream.ts'
import { CallsheetError } from '../../core/errors/errors.ts'
import type { Transaction } from '../../warehouse/connection/connect.ts'
import { rowsAsOf } from './report-rows.ts'

/** The run whose state of a stream a report reads. */
export interface SourceRun {
  id: number
  job: string
  state: string
  /**
   * Whether what is read as of it was read to its end, whatever else it left undone. False where no run
   * ever read that: then it is the last one that ended, and the cover is red.
   */
  whole: boolean
  finishedAtMs: number
  /** The same to the microsecond, as the database has it. */
  finishedAt: string
}

/** Which run each needed stream is read as of; by the name of the stream that is fetched itself. */
export type Moment = ReadonlyMap<string, SourceRun>

/**
 * The stream whose slices tell of this one: rows that are cut from a payload are as fresh as the
 * payload.
 */
export function fetchedStream(stream: Stream): Stream {
  return stream.sync.kind === 'nested' ? fetchedStream(stream.sync.parent) : stream
}

export function sourceOf(moment: Moment, stream: Stream): SourceRun {
  // The moment is made of the report's own needs; anything else is a mistake in the report.
  const run = moment.get(fetchedStream(stream).name)
  if (run !== undefined) return run
  throw new CallsheetError('report_needs', {
    tried: `Read ${stream.name} for a report`,
    expected: 'a stream that the report names in its needs',
    came: 'one that it does not name',
    todo: 'add the stream to the needs of the report',
  })
}

/** A report is as of the run of what it is about. What is newer or older is told besides. */
export async function asOfMs(
  tx: Transaction,
  { account, report, endedByMs }: AskedMoment,
  moment: Moment,
): Promise<number> {
  const [main] = report.needs
  if (main !== undefined) return sourceOf(moment, main).finishedAtMs
  return await lastEndMs(tx, { account, endedByMs })
}

interface AskedMoment {
  account: string
  report: Pick<Report, 'needs'>
  endedByMs?: number | undefined
}

/** When the account's last run ended, whatever came of it. */
async function lastEndMs(
  tx: Transaction,
  { account, endedByMs = Infinity }: Omit<AskedMoment, 'report'>,
): Promise<number> {
  const { at } = await tx
    .selectFrom('callsheet.runs')
    .select(({ fn }) => fn.max<string | null>('finished_at').as('at'))
    .where('account', '=', account)
    .where('finished_at', '<', endBy(endedByMs))
    .executeTakeFirstOrThrow()
  if (at === null) throw neverSynced(account, 'anything')
  return Date.parse(at)
}

/** The instant is one of ours cut to the millisecond, so the run may seem to have ended just after it. */
function endBy(epochMs: number): string {
  return Number.isFinite(epochMs) ? new Date(epochMs + 1).toISOString() : 'infinity'
}

/** When the last of the runs had ended. */
export function endMs(moment: Moment): number {
  return Math.max(...[...moment.values()].map(({ finishedAtMs }) => finishedAtMs))
}

export function runIds(moment: Moment): number[] {
  return [...new Set([...moment.values()].map(({ id }) => id))].sort((a, b) => a - b)
}

/**
 * The last run that read each stream to its end, and with it what else the report needs of the same job, so
 * that these fit together; fails when a stream that is needed was never read, and leaves out an optional one.
 */
export async function readMoment(
  tx: Transaction,
  account: string,
  {
    needs,
    optional = [],
    endedByMs,
  }: Pick<Report, 'needs' | 'optional'> & { endedByMs?: number | undefined },
): Promise<Moment> {
  const moment = new Map<string, SourceRun>()
  const needed = new Set(needs.map((stream) => fetchedStream(stream).name))
  const jobs = await jobsOf(tx, account, needed)
  for (const stream of [...needs, ...optional].map(fetchedStream)) {
    const { name } = stream
    if (moment.has(name)) continue
    const job = jobs.get(name)
    const streams = job === undefined ? [name] : [...needed].filter((one) => jobs.get(one) === job)
    const wanted = { account, stream: name, streams, endedByMs }
    const row = await lastRun(tx, wanted).executeTakeFirst()
    const run =
      row === undefined ? await nothingToAsk(tx, { account, moment }, stream) : sourceRun(row)
    if (run !== undefined) moment.set(name, run)
    else if (needed.has(name)) throw neverSynced(account, name)
  }
  return moment
}

/** The runs of a publication that are still known. */
export async function readRuns(tx: Transaction, ids: readonly number[]): Promise<SourceRun[]> {
  const rows = await tx
    .selectFrom('callsheet.runs')
    .select(['id', 'job', 'state'])
    .select(({ eb, ref }) => [
      ref('finished_at').$notNull().as('finished_at'),
      eb('state', '=', 'complete').as('whole'),
    ])
    .where('id', '=', sql<number>`any(${[...ids]}::bigint[])`)
    .execute()
  return rows.map(sourceRun)
}

/** The last run that read the stream to its end and had ended by an instant. */
export async function lastRunBefore(
  tx: Transaction,
  { account, stream, atMs }: { account: string; stream: string; atMs: number },
): Promise<SourceRun | undefined> {
  const wanted = { account, stream, streams: [stream], endedByMs: atMs }
  const row = await lastRun(tx, wanted).executeTakeFirst()
  return row === undefined ? undefined : sourceRun(row)
}

type RunRow = Pick<SourceRun, 'id' | 'job' | 'state'> & { finished_at: string; whole: SqlBool }

/**
 * The run that found nothing to ask for: a list of which there is one for each parent leaves no entry in
 * the ledger where there is no parent. Undefined for other streams, and where the parents' run was not
 * whole, or was not allowed to read them.
 */
export async function nothingToAsk(
  tx: Transaction,
  { account, moment }: { account: string; moment: Moment },
  { sync }: Stream,
): Promise<SourceRun | undefined> {
  const parent = sync.kind === 'fan-out' ? sync.parent : undefined
  const run = parent === undefined ? undefined : moment.get(fetchedStream(parent).name)
  if (parent === undefined || run?.whole !== true) return undefined
  const refusal = sql`summary->'notAllowed'->${fetchedStream(parent).name}::text`
  const refused = tx
    .selectFrom('callsheet.runs')
    .select(({ lit }) => lit(1).as('some'))
    .where('id', '=', run.id)
    .where(refusal, 'is not', null)
  const asked = await tx
    .selectFrom(rowsAsOf(parent, account, run).as('p'))
    .select(({ lit }) => lit(1).as('some'))
    .unionAll(refused)
    .limit(1)
    .executeTakeFirst()
  return asked === undefined ? run : undefined
}

/** The job that read each of the streams last. */
async function jobsOf(
  tx: Transaction,
  account: string,
  streams: ReadonlySet<string>,
): Promise<Map<string, string>> {
  const jobs = new Map<string, string>()
  for (const stream of streams) {
    const row = await jobOf(tx, account, stream).executeTakeFirst()
    if (row !== undefined) jobs.set(stream, row.job)
  }
  return jobs
}

function jobOf(tx: Transaction, account: string, stream: string) {
  return tx
    .selectFrom('callsheet.slices as s')
    .innerJoin('callsheet.runs as r', 'r.id', 's.run_id')
    .select('r.job')
    .where('s.account', '=', account)
    .where('s.stream', '=', stream)
    .orderBy('s.run_id', 'desc')
    .limit(1)
}

interface Wanted {
  account: string
  stream: string
  /** What must have been read to its end. */
  streams: readonly string[]
  endedByMs: number | undefined
}

/**
 * Any run of the whole job will do that was complete, or incomplete for something else, as a file that
 * cannot be fetched: one that goes on with what another left reads only the rest of the slices.
 */
function lastRun(tx: Transaction, { account, stream, streams, endedByMs = Infinity }: Wanted) {
  const read = sql<boolean>`r.summary->'read' ?& ${[...streams]}::text[]`
  return tx
    .selectFrom('callsheet.runs as r')
    .innerJoin(jobOf(tx, account, stream).as('j'), 'j.job', 'r.job')
    .select(['r.id', 'r.job', 'r.state'])
    .select(({ eb, fn, lit, or, ref }) => [
      ref('r.finished_at').$notNull().as('finished_at'),
      or([eb('r.state', '=', 'complete'), fn.coalesce(read, lit(false))]).as('whole'),
    ])
    .where('r.account', '=', account)
    .where('r.partial', '=', false)
    .where('r.finished_at', '<', endBy(endedByMs))
    .orderBy('whole', 'desc')
    .orderBy('r.id', 'desc')
    .limit(1)
}

function sourceRun({ id, job, state, finished_at, whole }: RunRow): SourceRun {
  const finishedAtMs = Date.parse(finished_at)
  return { id, job, state, whole: Boolean(whole), finishedAt: finished_at, finishedAtMs }
}

function neverSynced(account: string, stream: string): CallsheetError {
  return new CallsheetError('never_synced', {
    tried: `Make a report for the account ${account}`,
    expected: `a finished run that read ${stream}`,
    came: 'none',
    todo: `run "callsheet sync" for the job that reads ${stream}, then make the report again`,
  })
}
