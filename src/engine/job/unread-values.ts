import type { Stream } from '../../core/declare/stream.ts'
import { countPresent } from '../../warehouse/load/count-present.ts'
import { countTimeless } from '../../warehouse/load/count-timeless.ts'
import { retryDatabase } from '../run/retry-database.ts'
import type { RunContext } from '../run/run-context.ts'
import { reportTimeless, type TimelessRows } from '../sync/timeless-rows.ts'
import { isMuch } from './absent-lists.ts'

/**
 * Reports values of a stream that nobody can read: instants by which windows own their rows, and values in
 * place of ones that are held, whose rows stay as they were. A few are for a person to look at, if anyone
 * wants to; more than `absent` allows leave the run incomplete.
 */
export async function reportUnread(
  run: RunContext,
  stream: Stream,
  { unreadable, timeless }: { unreadable: number; timeless: TimelessRows | undefined },
): Promise<void> {
  const { name, sync } = stream
  const { account, warehouse, absentLimit } = run
  const of = { account, stream }
  reportTimeless(run, stream, timeless)
  const present = (): Promise<number> => retryDatabase(run, () => countPresent(warehouse, of))
  if (unreadable > 0)
    run.problem(
      `${name}: ${unreadable} records have a value that cannot be read any more, so their rows stay as ` +
        'they were (callsheet.drift names the fields)',
      isMuch(absentLimit, unreadable, await present()),
      stream,
    )
  if (sync.kind !== 'windows') return
  const column = sync.cursor
  const held = await retryDatabase(run, () => countTimeless(warehouse, { ...of, column }))
  // A run that read every window reports those that were not shown by themselves.
  const unseen = run.full ? (timeless?.table.countMissing() ?? 0) : 0
  const shown = held - unseen
  if (shown <= absentLimit.lists || !isMuch(absentLimit, shown, await present())) return
  run.problem(
    `${name}: ${shown} records have no ${column} that can be read, so that no window holds them and no ` +
      'report of a period shows them',
    true,
    stream,
  )
}
