import { sql } from 'kysely'
import type { Report } from '../core/define/report.ts'
import { fetchedStream, type Stream } from '../core/define/stream.ts'
import { CallsheetError } from '../core/errors.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { rowsAsOf } from './report-rows.ts'
import { endBy, firstRead, lastJobsOf, lastRun, type SourceRun } from './source-runs.ts'

/** The run that fixes the state of each stream of a report, by the name of the stream that is fetched. */
export type Moment = ReadonlyMap<string, SourceRun>

export function sourceOf(moment: Moment, stream: Stream): SourceRun {
  // The moment covers the report's needs, so a missing run is a bug in the report.
  const run = moment.get(fetchedStream(stream).name)
  if (run !== undefined) return run
  throw new CallsheetError('report_needs', {
    tried: `Reading ${stream.name} for a report`,
    came: 'the report does not list this stream in its needs',
    todo: 'add the stream to the needs of the report',
  })
}

/** Returns when the run of the report's main stream ended; without needs, when the last run ended. */
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

/** Returns when the account's last run ended, in any state. */
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

/** Returns when the last of the runs ended. */
export function endMs(moment: Moment): number {
  return Math.max(...[...moment.values()].map(({ finishedAtMs }) => finishedAtMs))
}

export function runIds(moment: Moment): number[] {
  return [...new Set([...moment.values()].map(({ id }) => id))].sort((a, b) => a - b)
}

/**
 * Finds each stream's run by `lastRun`, with one run for all needed streams of a job, so that they are
 * consistent. Fails if a needed stream was never read; omits optional streams that were never read.
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
  const jobs = await lastJobsOf(tx, account, needed)
  for (const stream of [...needs, ...optional].map(fetchedStream)) {
    const { name } = stream
    if (moment.has(name)) continue
    const job = jobs.get(name)
    const streams = job === undefined ? [name] : [...needed].filter((one) => jobs.get(one) === job)
    const run =
      (await lastRun(tx, { account, stream: name, streams, endedByMs })) ??
      (await runWithoutRequests(tx, { account, moment }, stream))
    if (run !== undefined) moment.set(name, run)
    else if (needed.has(name)) throw neverSynced(account, name)
  }
  return moment
}

/**
 * Returns the parents' run if no parent existed: a stream with a list per parent then has no ledger entry of
 * its own. Returns undefined for streams without parents, if a parent exists, and if the parents' run was
 * incomplete or was not allowed to read them.
 */
export async function runWithoutRequests(
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
    .where('account', '=', account)
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

/**
 * Returns when all data that a report needs had been read completely for the first time; undefined if a part
 * never was.
 */
export async function firstWholeMs(
  tx: Transaction,
  account: string,
  { needs }: Pick<Report, 'needs'>,
): Promise<number | undefined> {
  let lastMs = 0
  for (const stream of new Set(needs.map((need) => fetchedStream(need).name))) {
    const firstMs = await firstRead(tx, { account, stream })
    if (firstMs === undefined) return undefined
    lastMs = Math.max(lastMs, firstMs)
  }
  return lastMs
}

function neverSynced(account: string, stream: string): CallsheetError {
  return new CallsheetError('never_synced', {
    tried: `Reading ${stream} of the account ${account} from the warehouse`,
    came: 'no finished run has read this stream yet',
    todo: `run callsheet sync for the job that reads ${stream}, then try again`,
  })
}
