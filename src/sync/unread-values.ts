import type { Stream } from '../core/define/stream.ts'
import { isLargeDrop } from '../core/values/large-drop.ts'
import { counted } from '../core/values/quantities.ts'
import { retryDatabase } from '../warehouse/ledger/retry-database.ts'
import { countPresent, countTimeless, countUnread } from '../warehouse/load/count-rows.ts'
import { reportTimeless, type TimelessRows } from './read/timeless-rows.ts'
import type { ReadingMarks } from './reading-marks.ts'
import type { RunContext } from './run/run-context.ts'

/**
 * Makes the run incomplete if more of a stream's data is unreadable than `absentLimit` allows: quarantined
 * records, times that decide which window owns a row, and other values. Always reports records whose rows
 * stay unchanged because an unreadable value would replace a stored one.
 */
export async function reportUnread(
  run: RunContext,
  stream: Stream,
  { marks, timeless }: { marks: ReadingMarks; timeless: TimelessRows | undefined },
): Promise<void> {
  const { account, warehouse, absentLimit } = run
  const { aside, received } = marks.unusable()
  if (isLargeDrop(aside, received, absentLimit)) reportAside(run, stream, aside)
  for (const child of run.cutsOf(stream)) {
    const { quarantined = 0 } = run.noted().tables[child.name] ?? {}
    if (await isTooMany(run, child, quarantined)) reportAside(run, child, quarantined)
  }
  const unreadable = marks.unreadable()
  if (unreadable > 0)
    run.problem(
      `${stream.name}: the service sent ${counted(unreadable, 'record')} with a value that can no longer ` +
        'be read, so the rows stay unchanged; callsheet.drift names the fields',
      await isTooMany(run, stream, unreadable),
      stream,
    )
  for (const one of [stream, ...run.cutsOf(stream)]) {
    const unread = await retryDatabase(run, () => countUnread(warehouse, { account, stream: one }))
    if (!(await isTooMany(run, one, unread.rows))) continue
    const columns = unread.columns.join(' or ')
    const text = `${unread.rows} rows lack ${columns} because the service sent unreadable values`
    run.problem(`${one.name}: ${text}`, true, one)
  }
  await reportTimes(run, stream, timeless)
}

async function reportTimes(
  run: RunContext,
  stream: Stream,
  timeless: TimelessRows | undefined,
): Promise<void> {
  const { name, sync } = stream
  const { account, warehouse } = run
  reportTimeless(run, stream, timeless)
  if (sync.kind !== 'windows') return
  const column = sync.cursor
  const held = await retryDatabase(run, () => countTimeless(warehouse, { account, stream, column }))
  // If a run read every window, `reportTimeless` reports the rows that were not shown.
  const unseen = run.full ? (timeless?.table.countMissing() ?? 0) : 0
  const shown = held - unseen
  if (!(await isTooMany(run, stream, shown))) return
  run.problem(
    `${name}: ${shown} records have no readable ${column}, so no report of a period includes them`,
    true,
    stream,
  )
}

function reportAside(run: RunContext, stream: Stream, aside: number): void {
  const text = `${aside} unusable records were quarantined; callsheet.quarantine gives the reasons`
  run.problem(`${stream.name}: ${text}`, true, stream)
}

async function isTooMany(run: RunContext, stream: Stream, count: number): Promise<boolean> {
  if (count <= run.absentLimit.rows) return false
  const of = { account: run.account, stream }
  const present = await retryDatabase(run, () => countPresent(run.warehouse, of))
  return isLargeDrop(count, present, run.absentLimit)
}
