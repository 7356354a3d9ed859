import type { PublishedReport } from '../../report/publish-report.ts'
import type { RunResult } from '../../sync/run/run-types.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { readFreshness } from '../../warehouse/run-statement.ts'
import type { Message } from '../alerts/message.ts'

/**
 * Returns the facts of an ended run: its state, its counts, and the coverage of all tables of the account at
 * this moment. Problems are only counted, because their texts may name a single list.
 */
export async function runMessage(
  db: Transaction,
  { account, runId }: { account: string; runId: number },
): Promise<Message> {
  const { job, state, partial, started_at, finished_at, summary } = await db
    .selectFrom('callsheet.runs')
    .select(['job', 'state', 'partial', 'started_at', 'finished_at', 'summary'])
    .where('account', '=', account)
    .where('id', '=', runId)
    .executeTakeFirstOrThrow()
  const { tables = {}, problems = [] } = summary as Partial<Pick<RunResult, 'tables' | 'problems'>>
  const counts = Object.entries(tables).map(
    ([table, { inserted, updated, deleted }]) => [table, { inserted, updated, deleted }] as const,
  )
  const coverage = (await readFreshness(db, { account })).map(
    ({ table, state: now, whole, complete_to, rows_kept }) =>
      [table, { state: now, whole, complete_to, ...(rows_kept && { rows_kept }) }] as const,
  )
  return messageOf(`Run ${runId} of ${job}, account ${account}: ${state}`, {
    event: 'run',
    account,
    job,
    run: runId,
    state,
    partial,
    started_at,
    finished_at,
    problems: problems.length,
    counts: Object.fromEntries(counts),
    tables: Object.fromEntries(coverage),
  })
}

/** Returns the verdict and the files of a report. Leaves out its filters, because they may name a person. */
export function publishedMessage(
  account: string,
  report: string,
  { headline, covered, asOfMs, runIds, files, notMade }: PublishedReport,
): Message {
  const verdict = covered ? 'complete' : 'incomplete'
  return messageOf(`Report ${report} of account ${account}, ${headline.period}: ${verdict}`, {
    event: 'report',
    account,
    report,
    period: headline.period,
    verdict,
    not_made: notMade.map(({ format }) => format),
    as_of: new Date(asOfMs).toISOString(),
    runs: runIds,
    files: files.map(({ path, bytes, sha256 }) => ({ path, bytes, sha256 })),
  })
}

function messageOf(subject: string, facts: Message['facts']): Message {
  return { subject, text: `${subject}.\n`, facts }
}
