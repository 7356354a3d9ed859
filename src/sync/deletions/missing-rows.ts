import { meansDeleted } from '../../core/define/answer-meaning.ts'
import { joinKey, keyHash } from '../../core/records/record-key.ts'
import type { Owned } from '../../core/records/row-batch.ts'
import { counted } from '../../core/values/quantities.ts'
import { retryDatabase } from '../../warehouse/ledger/retry-database.ts'
import { missingKeys } from '../../warehouse/load/fingerprints.ts'
import type { GroupRead } from '../read/read-group.ts'
import type { RunContext } from '../run/run-context.ts'
import type { SliceReading } from '../run/slice-reading.ts'

export type Keys = string[][]

/**
 * The rows that a read covers: a covered row that it did not show is missing. Undefined if it covers none.
 * Each parent's list counts alone: no row is missing from a list that was refused or may have been cut short.
 * For rows checked by detail calls, a list answered as deleted is covered. All other slices count together.
 */
export function answeredFor({ group, readings }: GroupRead): Owned | undefined {
  if (group.incremental === true || group.unproven === true) return undefined
  if (group.owned.kind !== 'parents') return readings.every(isComplete) ? group.owned : undefined
  const { deletions, operation } = group.stream
  const answered = ({ error }: SliceReading): boolean =>
    error === undefined || (deletions.by === 'detail' && meansDeleted(operation, error))
  const keys = readings
    .filter((reading) => isComplete(reading) && answered(reading) && !reading.atBound)
    .map(({ slice }) => slice.parent?.[0] ?? '')
  return keys.length === 0 ? undefined : { ...group.owned, keys }
}

/**
 * The keys of unexpired rows that the read covers and that no list of the run showed, whether or not that
 * proves them deleted.
 */
export async function findMissing(run: RunContext, groupRead: GroupRead): Promise<Keys> {
  const { group, table } = groupRead
  const owned = answeredFor(groupRead)
  if (owned === undefined || table.countMissing() === 0) return []
  const { stream } = group
  const expiresAt = stream.deletions.by === 'detail' ? stream.deletions.expiresAt : undefined
  const scope = { account: run.account, stream, owned }
  const unexpired = { ...scope, ...(expiresAt === undefined ? {} : { expiresAt }) }
  const missing = await retryDatabase(run, () => missingKeys(run.warehouse, unexpired, table))
  const beside = run.shownBeside(stream)
  return beside.size === 0 ? missing : missing.filter((key) => !beside.has(keyHash(key)))
}

/**
 * Sorts the missing rows into proven and doubted ones. A quarantined record may be the missing row, and a
 * list that showed a row twice may have omitted another.
 */
export function sortMissing(
  { group, readings }: GroupRead,
  missing: Keys,
  isProof: (reading: SliceReading) => boolean = (one) => isUsable(one) && one.repeats === 0,
): { proven: Keys; doubted: Keys } {
  const doubtful = readings.filter((reading) => isComplete(reading) && !isProof(reading))
  if (doubtful.length === 0) return { proven: missing, doubted: [] }
  if (group.owned.kind !== 'parents') return { proven: [], doubted: missing }
  const parents = new Set(doubtful.map(({ slice }) => slice.parent?.[0]))
  const isDoubted = ([parent]: string[]): boolean => parents.has(parent)
  return {
    proven: missing.filter((key) => !isDoubted(key)),
    doubted: missing.filter(isDoubted),
  }
}

/** Whether every received record was usable. */
export function isUsable({ quarantined, refused }: SliceReading): boolean {
  return quarantined + refused === 0
}

/** Reports missing rows of lists that may be incomplete, and so prove no deletion. */
export function reportDoubted(run: RunContext, { group }: GroupRead, doubted: Keys): void {
  if (doubted.length === 0) return
  const { stream } = group
  run.problem(
    `${stream.name}: it is uncertain whether ${counted(doubted.length, 'missing row')} ` +
      `${doubted.length === 1 ? 'was' : 'were'} deleted, because the lists contain repeated or unusable ` +
      'records (callsheet.quarantine) and may be incomplete',
    true,
    stream,
  )
}

/** Returns the keys that are in both lists. */
export function both(keys: Keys, others: Keys): Keys {
  const names = new Set(others.map(joinKey))
  return keys.filter((key) => names.has(joinKey(key)))
}

function isComplete({ state }: SliceReading): boolean {
  return state === 'complete'
}
