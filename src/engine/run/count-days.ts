import type { Job } from '../../core/declare/job.ts'
import { type DailyCounts, lateBy } from '../../core/records/low-volume.ts'
import { DAY_MS } from '../../core/time/time.ts'
import { countByDay } from '../../warehouse/load/daily-counts.ts'
import { retryDatabase } from './retry-database.ts'
import type { RunContext } from './run-context.ts'

/**
 * How many records of each stream of windows began on each of the last days that are over, and whose records
 * have come as a rule: some services show a record days after it began.
 */
export async function countDays(run: RunContext, { streams }: Job): Promise<DailyCounts[]> {
  const counted: DailyCounts[] = []
  const today = Math.floor(run.clock.now() / DAY_MS)
  const from = today - KEPT_DAYS
  for (const stream of streams) {
    if (stream.sync.kind !== 'windows') continue
    const of = { account: run.account, stream, column: stream.sync.cursor }
    const days = await retryDatabase(run, () =>
      countByDay(run.warehouse, of, { fromMs: from * DAY_MS, toMs: today * DAY_MS }),
    )
    const counts = Array.from({ length: KEPT_DAYS - lateBy(days) }, () => 0)
    for (const { day, rows } of days)
      if (day - from < counts.length) counts[day - from] = (counts[day - from] ?? 0) + rows
    counted.push({ stream: stream.name, fromDay: from, counts })
  }
  return counted
}

/** Eight weeks lead one to expect what the five weeks after them have. */
const KEPT_DAYS = 91
