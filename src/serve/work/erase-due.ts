import { openErasure } from '../../account/open-erasure.ts'
import type { OpenWarehouse } from '../../account/wire.ts'
import { eraseRequests } from '../../erasure/erase-requests.ts'
import { keptCount } from '../../erasure/erasing.ts'
import { readRequests } from '../../erasure/sql/erasure-requests.ts'
import { mayErase } from '../../erasure/sql/erasure-rows.ts'

/**
 * Erases who took the app away, and completes what was cut off, before the schedule's next job: nobody waits
 * for a person to read a list. Told in the log by the request's number.
 */
export async function eraseDue(
  opened: OpenWarehouse,
  { account, signal }: { account: string; signal: AbortSignal },
): Promise<void> {
  const { warehouse, wiring } = opened
  const { observer } = wiring
  if ((await readRequests(warehouse.db, account, 'ripe')).length === 0) return
  if (!(await mayErase(warehouse.db))) {
    const reason = 'this database role may not delete: callsheet erase --due with one that may'
    observer.event('erasure waits', { account, reason, level: 'warn' })
    return
  }
  const { deps, close } = await openErasure(opened, { account, signal })
  try {
    await eraseRequests(deps, {
      account,
      ripe: true,
      askedBy: 'callsheet serve',
      byName: false,
      dryRun: false,
      signal,
      onUnproven: (requests) =>
        observer.event('erasure unexplained', {
          account,
          request: requests.join(', '),
          level: 'error',
        }),
      onErased: ({ request, outcome: { kept, leftBehind, uncertain, reports } }) => {
        const places = [...Object.keys(leftBehind), ...Object.keys(uncertain)]
        const whole = places.length + keptCount(kept) + reports.undecided.length
        const level = whole === 0 ? 'info' : 'warn'
        const table = places.length > 0 ? places.join(', ') : undefined
        observer.event('person erased', { account, request, left: whole, table, level })
      },
    })
  } finally {
    await close()
  }
}
