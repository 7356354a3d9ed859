import { plainInstant } from '../../core/define/column.ts'
import { historyLimitOf } from '../../core/define/history-limit.ts'
import { DAY_MS } from '../../core/time/time.ts'
import type { WireRecord } from '../../core/values/json.ts'
import { counted } from '../../core/values/quantities.ts'
import { retryDatabase } from '../../warehouse/ledger/retry-database.ts'
import { loadFingerprints } from '../../warehouse/load/fingerprints.ts'
import type { PlannedGroup } from '../plan/plan-stream.ts'
import { slicesAt } from '../plan/slices-at.ts'
import type { GroupRead } from '../read/read-group.ts'
import type { RunContext } from '../run/run-context.ts'
import type { FoundRow } from './ask-details.ts'

/**
 * Adds the windows of the found rows to the group, for its second read. For example, a recording restored
 * from the trash is in its window again, and that window may not have been due.
 */
export async function widen(
  run: RunContext,
  groupRead: GroupRead,
  found: readonly FoundRow[],
): Promise<PlannedGroup> {
  const { group } = groupRead
  const { stream, owned, slices } = group
  if (stream.sync.kind !== 'windows' || owned.kind !== 'windows') return group
  const instants = found.map(({ record }) => instantOf(groupRead, record))
  const known = new Set(slices.map(({ request }) => request.slice))
  const limits = { nowMs: run.clock.now(), historyDays: run.historyDays }
  const more = slicesAt(stream, instants, limits).filter(({ request }) => !known.has(request.slice))
  if (more.length === 0) return group
  const windows = [...owned.windows, ...more.flatMap((slice) => slice.owned ?? [])]
  const wider = { ...owned, windows }
  const scope = { account: run.account, stream, owned: wider }
  await retryDatabase(run, () => loadFingerprints(run.warehouse, scope, groupRead.table))
  run.progress(stream, { planned: more.length })
  return { stream, owned: wider, slices: [...slices, ...more] }
}

/** Whether a record is beyond the service's history limit, where it lists nothing: the row stays. */
export function isSealed(run: RunContext, groupRead: GroupRead, record: WireRecord): boolean {
  const { sync } = groupRead.group.stream
  const unbounded = sync.kind === 'windows' && sync.unbounded === true
  return !unbounded && isOlder(run, groupRead, record)
}

/**
 * Returns the hidden records that a list should have shown. It is undocumented whether the service lists
 * records older than the history limit: such rows stay unchanged, and the run reports them.
 */
export function dueInLists(
  run: RunContext,
  groupRead: GroupRead,
  hidden: readonly FoundRow[],
): FoundRow[] {
  const due = hidden.filter(({ record }) => !isOlder(run, groupRead, record))
  const older = hidden.length - due.length
  if (older > 0)
    run.problem(
      `${groupRead.group.stream.name}: no list contains ${counted(older, 'record')} older than the history ` +
        'limit, although the service still returns the details; the rows stay unchanged',
      false,
    )
  return due
}

function isOlder(run: RunContext, groupRead: GroupRead, record: WireRecord): boolean {
  const { sync } = groupRead.group.stream
  if (sync.kind !== 'windows') return false
  return (
    instantOf(groupRead, record) < run.clock.now() - historyLimitOf(sync, run.historyDays) * DAY_MS
  )
}

function instantOf({ group }: GroupRead, record: WireRecord): number {
  const { sync } = group.stream
  const value = sync.kind === 'windows' ? record[sync.cursor] : undefined
  return Date.parse(plainInstant(value) ?? '')
}
