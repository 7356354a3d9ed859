import { keyHash } from '../../core/records/record-key.ts'
import { partText } from '../../core/records/row-part.ts'
import { count, counted } from '../../core/values/quantities.ts'
import type { GroupRead } from '../read/read-group.ts'
import type { RunContext } from '../run/run-context.ts'
import type { Keys } from './missing-rows.ts'
import type { Judged, Verdict } from './verdict.ts'

/** Splits missing rows into `left` (a list showed them outside the part that is kept) and `missing`. */
export function withoutLeft(
  { apart }: Pick<GroupRead, 'apart'>,
  missing: Keys,
): { left: Keys; missing: Keys } {
  const isLeft = (key: string[]): boolean => apart.has(keyHash(key))
  return { left: missing.filter(isLeft), missing: missing.filter((key) => !isLeft(key)) }
}

/** Adds the rows that left the part to the verdict, also those that a second read showed outside the part. */
export function withLeft(judged: Judged, left: Keys): Judged & { verdict?: Verdict } {
  const { groupRead, verdict } = judged
  if (verdict === undefined) return { groupRead }
  const split = withoutLeft(groupRead, verdict.deleted)
  const { missing: hidden, left: seen } = withoutLeft(groupRead, verdict.hidden)
  const { missing: candidates, left: ripe } = withoutLeft(groupRead, verdict.candidates)
  const all = [...left, ...split.left, ...seen, ...ripe]
  return {
    groupRead,
    verdict: { ...verdict, deleted: split.missing, hidden, candidates, left: all },
  }
}

/** Reports a part to which no record belongs: a field or a value is probably misspelled. */
export function reportEmptyPart(run: RunContext, { group, readings }: GroupRead): void {
  const sum = (name: 'received' | 'apart'): number =>
    readings.reduce((all, reading) => all + reading[name], 0)
  const isWhole = readings.every(({ state }) => state === 'complete')
  if (!isWhole || sum('apart') === 0 || sum('received') > sum('apart')) return
  const { name } = group.stream
  run.problem(
    `${name}: none of ${counted(sum('received'), 'record')} is in the part that accounts[].rows keeps ` +
      `(${partText(name, run.rows?.[name] ?? {})}); check its fields and values`,
    'for a person',
    group.stream,
  )
}

/** Reports how many rows held back by the guard still exist at the service, outside the part that is kept. */
export function reportHeldPart(run: RunContext, { group }: GroupRead, left: Keys): void {
  if (left.length === 0) return
  const exist = left.length === 1 ? 'row still exists' : 'rows still exist'
  run.problem(
    `${group.stream.name}: ${count(left.length)} missing ${exist} at the service, but accounts[].rows no ` +
      'longer keeps them. Check that setting before you approve the removal',
    false,
  )
}
