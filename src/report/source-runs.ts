import { type SqlBool, sql } from 'kysely'
import type { Transaction } from '../warehouse/connect.ts'

/** The run whose state of a stream a report reads. */
export interface SourceRun {
  id: number
  job: string
  state: string
  /**
   * Whether what is read as of it was read to its end, whatever else it left undone. False where no run
   * ever read that: then it is the last one that ended, and the report's first line is red.
   */
  whole: boolean
  finishedAtMs: number
  /** The same to the microsecond, as the database has it. */
  finishedAt: string
}

/** The runs of a publication that are still known. */
export async function readSourceRuns(
  tx: Transaction,
  ids: readonly number[],
): Promise<SourceRun[]> {
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

/** When a run had first read the stream to its end, epoch milliseconds; undefined where none ever did. */
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

/** The job that read each of the streams last. */
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
    .innerJoin('callsheet.runs as r', 'r.id', 's.run_id')
    .select('r.job')
    .where('s.account', '=', account)
    .where('s.stream', '=', stream)
    .orderBy('s.run_id', 'desc')
    .limit(1)
}

interface WantedRun {
  account: string
  stream: string
  /** What must have been read to its end; the stream alone if not given. */
  streams?: readonly string[]
  endedByMs: number | undefined
}

/**
 * The last run that read the stream to its end and had ended by an instant. Any run of the whole job will do
 * that was complete, or incomplete for something else, as a file that cannot be fetched: one that goes on
 * with what another left reads only the rest of the slices.
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

/** The runs of all of the job by which the stream is read. */
function wholeJobRuns(tx: Transaction, { account, stream }: { account: string; stream: string }) {
  return tx
    .selectFrom('callsheet.runs as r')
    .innerJoin(jobOf(tx, account, stream).as('j'), 'j.job', 'r.job')
    .where('r.account', '=', account)
    .where('r.partial', '=', false)
}

/** Whether the run was complete, or at least read these streams to their end. */
function readWhole(streams: readonly string[]) {
  const read = sql<SqlBool>`r.summary->'read' ?& ${[...streams]}::text[]`
  return sql<SqlBool>`(r.state = 'complete' or coalesce(${read}, false))`
}

type RunRow = Pick<SourceRun, 'id' | 'job' | 'state'> & { finished_at: string; whole: SqlBool }

function sourceRun({ id, job, state, finished_at, whole }: RunRow): SourceRun {
  const finishedAtMs = Date.parse(finished_at)
  return { id, job, state, whole: Boolean(whole), finishedAt: finished_at, finishedAtMs }
}

/** The instant is one of ours cut to the millisecond, so the run may seem to have ended just after it. */
export function endBy(epochMs: number): string {
  return Number.isFinite(epochMs) ? new Date(epochMs + 1).toISOString() : 'infinity'
}
