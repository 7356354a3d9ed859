import { type SqlBool, sql } from 'kysely'
import type { Transaction } from '../warehouse/connect.ts'

/** The run that fixes which state of a stream a report shows. */
export interface SourceRun {
  id: number
  job: string
  state: string
  /**
   * Whether the run read the stream completely, even if it omitted other data. If no run ever did, a report
   * uses the last run that ended.
   */
  whole: boolean
  finishedAtMs: number
  /** The run's end to the microsecond, as stored in the database. */
  finishedAt: string
}

/** Returns the runs of a publication that are still recorded. */
export async function readSourceRuns(
  tx: Transaction,
  account: string,
  ids: readonly number[],
): Promise<SourceRun[]> {
  const rows = await tx
    .selectFrom('callsheet.runs')
    .select(['id', 'job', 'state'])
    .select(({ eb, ref }) => [
      ref('finished_at').$notNull().as('finished_at'),
      eb('state', '=', 'complete').as('whole'),
    ])
    .where('account', '=', account)
    .where('id', '=', sql<number>`any(${[...ids]}::bigint[])`)
    .execute()
  return rows.map(sourceRun)
}

/** Returns when a run first read the stream completely, in epoch milliseconds; undefined if none did. */
export async function firstRead(
  tx: Transaction,
  { account, stream }: { account: string; stream: string },
): Promise<number | undefined> {
  const row = await wholeJobRuns(tx, { account, stream })
    .select(({ ref }) => ref('r.finished_at').$notNull().as('finished_at'))
    .where('r.finished_at', 'is not', null)
    .where(readWhole([stream]))
    .orderBy('r.id')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? undefined : Date.parse(row.finished_at)
}

/** Returns the job that last read each of the streams. */
export async function lastJobsOf(
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
    .innerJoin('callsheet.runs as r', (join) =>
      join.onRef('r.account', '=', 's.account').onRef('r.id', '=', 's.run_id'),
    )
    .select('r.job')
    .where('s.account', '=', account)
    .where('s.stream', '=', stream)
    .orderBy('s.run_id', 'desc')
    .limit(1)
}

interface WantedRun {
  account: string
  stream: string
  /** The streams that must have been read completely; default: only `stream`. */
  streams?: readonly string[]
  endedByMs: number | undefined
}

/**
 * Returns the last run that had ended by an instant and read the streams completely; if none did, the last
 * that had ended. A run may be incomplete for another reason, e.g. a file that cannot be fetched. A run that
 * continues another one reads only the remaining slices, and counts too.
 */
export async function lastRun(
  tx: Transaction,
  { account, stream, streams = [stream], endedByMs = Infinity }: WantedRun,
): Promise<SourceRun | undefined> {
  const row = await wholeJobRuns(tx, { account, stream })
    .select(['r.id', 'r.job', 'r.state'])
    .select(({ ref }) => [
      ref('r.finished_at').$notNull().as('finished_at'),
      readWhole(streams).as('whole'),
    ])
    .where('r.finished_at', '<', endBy(endedByMs))
    .orderBy('whole', 'desc')
    .orderBy('r.id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && sourceRun(row)
}

/** Selects the runs of the job that last read the stream, without partial runs. */
function wholeJobRuns(tx: Transaction, { account, stream }: { account: string; stream: string }) {
  return tx
    .selectFrom('callsheet.runs as r')
    .innerJoin(jobOf(tx, account, stream).as('j'), 'j.job', 'r.job')
    .where('r.account', '=', account)
    .where('r.partial', '=', false)
}

/** Whether the run was complete, or at least read these streams completely. */
function readWhole(streams: readonly string[]) {
  const read = sql<SqlBool>`r.summary->'read' ?& ${[...streams]}::text[]`
  return sql<SqlBool>`(r.state = 'complete' or coalesce(${read}, false))`
}

type RunRow = Pick<SourceRun, 'id' | 'job' | 'state'> & { finished_at: string; whole: SqlBool }

function sourceRun({ id, job, state, finished_at, whole }: RunRow): SourceRun {
  const finishedAtMs = Date.parse(finished_at)
  return { id, job, state, whole: Boolean(whole), finishedAt: finished_at, finishedAtMs }
}

/**
 * Returns the end of the millisecond. Our instants have no microseconds, so a run may otherwise seem to have
 * ended after its instant.
 */
export function endBy(epochMs: number): string {
  return Number.isFinite(epochMs) ? new Date(epochMs + 1).toISOString() : 'infinity'
}
