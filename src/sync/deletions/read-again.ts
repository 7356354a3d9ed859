import { type GroupRead, readSlices } from '../read/read-group.ts'
import type { RunContext } from '../run/run-context.ts'
import { carriedOver } from '../run/slice-reading.ts'
import { answeredFor, findMissing, type Keys } from './missing-rows.ts'

/**
 * Reads the group's slices a second time; of a fan-out, only lists with missing rows. `again` has the rows
 * that are missing again; undefined if the second read was not complete.
 */
export async function readAgain(
  run: RunContext,
  groupRead: GroupRead,
  missing: Keys,
): Promise<{ groupRead: GroupRead; again: Keys | undefined }> {
  const { group, readings, ended } = groupRead
  if (ended !== undefined) throw ended
  const parents = new Set(missing.map(([parent]) => parent))
  const slices =
    group.owned.kind === 'parents'
      ? group.slices.filter(({ parent }) => parents.has(parent?.[0]))
      : group.slices
  const reduced = { ...groupRead, group: { ...group, slices } }
  groupRead.table.forgetSeen()
  const second = { ...reduced, ...(await readSlices(run, reduced)) }
  if (second.ended !== undefined) throw second.ended
  const before = new Map(readings.map((reading) => [reading.slice, reading]))
  const sums = second.readings.map((reading) => carriedOver(before.get(reading.slice), reading))
  const twice = new Set(slices)
  const once = readings.filter(({ slice }) => !twice.has(slice))
  return {
    groupRead: { ...groupRead, readings: [...once, ...sums] },
    again: answeredFor(second) === undefined ? undefined : await findMissing(run, second),
  }
}
