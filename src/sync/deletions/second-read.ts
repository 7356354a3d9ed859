import { joinKey } from '../../core/records/record-key.ts'
import { retryDatabase } from '../../warehouse/ledger/retry-database.ts'
import { candidatesOf } from '../ledger/deletion-candidates.ts'
import type { GroupRead } from '../read/read-group.ts'
import type { RunContext } from '../run/run-context.ts'
import { both, type Keys, reportDoubted, sortMissing } from './missing-rows.ts'
import { readAgain } from './read-again.ts'
import { type Judged, NOTHING, type Verdict } from './verdict.ts'

/**
 * Missing rows are deleted if a second complete read does not show them either. The second read follows at
 * once, or in a later run if the stream declares that, or if nothing proved that the list was read to its
 * end: the cause that cut the first read short would also cut an immediate second one.
 */
export async function checkBySecondRead(
  run: RunContext,
  groupRead: GroupRead,
  { missing, afterMs }: { missing: Keys; afterMs: number },
): Promise<Judged> {
  const first = sortMissing(groupRead, missing)
  if (afterMs > 0) return await checkLater(run, groupRead, { first, afterMs })
  const ended = sortMissing(groupRead, missing, ({ endProven }) => endProven)
  const unended = both(first.proven, ended.doubted)
  if (unended.length > 0 && unended.length === first.proven.length) {
    const judged = await checkLater(run, groupRead, { first, afterMs: UNENDED_MS })
    const { verdict = NOTHING } = judged
    return { ...judged, verdict: { ...verdict, ...(waits(verdict) ? { unasked: true } : {}) } }
  }
  const { again, ...read } = await readAgain(run, groupRead, missing)
  if (again === undefined) return read
  const second = sortMissing(read.groupRead, both(missing, again))
  const doubted = [...second.doubted, ...both(second.proven, first.doubted)]
  const deleted = both(second.proven, first.proven)
  if (unended.length === 0)
    return { ...read, verdict: { ...doubts(run, groupRead, doubted), deleted } }
  const proven = both(deleted, unended)
  const later = await checkLater(run, groupRead, {
    first: { proven, doubted },
    afterMs: UNENDED_MS,
  })
  const { verdict = NOTHING } = later
  const atOnce = both(deleted, ended.proven)
  return {
    ...read,
    verdict: { ...verdict, unasked: true, deleted: [...atOnce, ...verdict.deleted] },
  }
}

async function checkLater(
  run: RunContext,
  groupRead: GroupRead,
  { first, afterMs }: { first: { proven: Keys; doubted: Keys }; afterMs: number },
): Promise<Judged> {
  const { account, warehouse } = run
  const { stream } = groupRead.group
  const known = await retryDatabase(run, () => candidatesOf(warehouse, { account, stream }))
  // A read may take hours: the wait begins at the first read's commit and ends at this read's first request.
  const beganMs = Math.min(...groupRead.readings.map(({ requestedAtMs }) => requestedAtMs))
  const ripe = (key: string[]): boolean => {
    const sinceMs = known.get(joinKey(key))
    return sinceMs !== undefined && beganMs - sinceMs >= afterMs
  }
  const candidates = first.proven.filter((key) => !ripe(key))
  const deleted = first.proven.filter(ripe)
  return { groupRead, verdict: { ...doubts(run, groupRead, first.doubted), deleted, candidates } }
}

function doubts(run: RunContext, groupRead: GroupRead, doubted: Keys): Verdict {
  reportDoubted(run, groupRead, doubted)
  return doubted.length === 0 ? NOTHING : { ...NOTHING, unasked: true }
}

/** Whether candidates wait: then the list stays due, and an approval stays valid. */
function waits({ candidates }: Verdict): boolean {
  return candidates.length > 0
}

const UNENDED_MS = 3_600_000
