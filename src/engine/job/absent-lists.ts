import type { Stream } from '../../core/declare/stream.ts'
import type { SliceHistory } from '../../warehouse/ledgers/slice-histories.ts'
import type { ParentRow } from '../../warehouse/load/parent-rows.ts'
import type { RunContext } from '../run/run-context.ts'
import { isAbsent, type SliceReading } from '../run/slice-reading.ts'
import { stillListed } from './still-listed.ts'

/** The lists of a fan-out stream, and those that the service said last it does not have, by their slices. */
export interface Lists {
  count: number
  absent: Map<string, readonly string[]>
}

/** What belongs to a parent in the trash may well be gone, so that it does not count. */
export function listsOf(
  { sync }: Stream,
  parents: readonly ParentRow[],
  histories: ReadonlyMap<string, SliceHistory>,
): Lists {
  const lists: Lists = { count: 0, absent: new Map() }
  if (sync.kind !== 'fan-out') return lists
  for (const { key, besides } of parents) {
    if (besides === true || sync.asks?.(key) === false) continue
    lists.count++
    const { slice } = sync.request(key)
    if ((histories.get(slice)?.absences ?? 0) > 0) lists.absent.set(slice, key)
  }
  return lists
}

export function noteAbsent(
  stream: Stream,
  { absent }: Lists,
  readings: readonly SliceReading[],
): void {
  for (const reading of readings) {
    const { request, parent } = reading.slice
    if (isAbsent(stream, reading)) absent.set(request.slice, parent ?? [])
    else if (reading.state === 'complete') absent.delete(request.slice)
  }
}

/**
 * A few lists may be late, or just have gone. Where it is a share of all of them, something is wrong with how
 * they are asked for, or with the service: nobody knows what is in them, so that the run is not complete. The
 * lists of parents are read once more before that is said.
 */
export async function reportAbsent(run: RunContext, stream: Stream, lists: Lists): Promise<void> {
  const { absent, count } = lists
  const { lists: few, share } = run.absentLimit
  const isMuch = (missing: number): boolean => missing > few && missing > share * count
  if (!isMuch(absent.size)) return
  const missing = await stillListed(run, stream, [...absent.values()])
  if (!isMuch(missing)) return
  const text = absentText(missing, count)
  run.problem(
    `${stream.name}: ${text}; absent.share and absent.lists say how many may be`,
    true,
    stream,
  )
}

export function absentText(missing: number, count: number): string {
  return (
    `${missing} of ${count} lists are not there, though the service lists what they belong to, so that ` +
    'nobody knows what is in them'
  )
}
