import type { Report } from '../core/define/report.ts'
import { fetchedStream } from '../core/define/stream.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { anyOf } from '../warehouse/schema/expressions.ts'
import type { Moment } from './report-moment.ts'
import { readRuns, type SourceRun } from './source-runs.ts'

/**
 * The runs of the last publication made from earlier ones: repeating a publication compares with the same
 * again. What the report can do without neither makes a publication an earlier one nor is missed in it.
 * Without needs there is nothing to compare.
 */
export async function previousMoment(
  tx: Transaction,
  { account, report }: { account: string; report: Pick<Report, 'name' | 'needs'> },
  moment: Moment,
): Promise<Moment | undefined> {
  const needed = new Set(report.needs.map((stream) => fetchedStream(stream).name))
  const runs = [...moment].flatMap(([name, run]) => (needed.has(name) ? [run] : []))
  if (runs.length === 0) return undefined
  const row = await tx
    .selectFrom('callsheet.published_reports as p')
    .crossJoinLateral(({ selectFrom }) =>
      selectFrom('callsheet.runs')
        .select(({ fn }) => fn.max('id').as('newest'))
        .where(({ eb, fn }) => eb('id', '=', fn.any('p.run_ids')))
        .where('job', '=', anyOf([...new Set(runs.map(({ job }) => job))]))
        .as('r'),
    )
    .select('p.run_ids')
    .where('p.account', '=', account)
    .where('p.report', '=', report.name)
    .where('r.newest', '<', Math.max(...runs.map(({ id }) => id)))
    .orderBy('r.newest', 'desc')
    .orderBy('p.id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return undefined
  return matched(moment, await readRuns(tx, row.run_ids), needed)
}

/** The same streams, each with its job's run; undefined where a needed one's is no longer known. */
function matched(
  moment: Moment,
  published: readonly SourceRun[],
  needed: ReadonlySet<string>,
): Moment | undefined {
  const previous = new Map<string, SourceRun>()
  for (const [stream, { job }] of moment) {
    const run = published.find((one) => one.job === job)
    if (run !== undefined) previous.set(stream, run)
    else if (needed.has(stream)) return undefined
  }
  return previous
}
