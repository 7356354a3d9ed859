import { readBody } from '../../core/events/body.ts'
import { EVENTS } from '../../core/events/events.ts'
import { readEvent } from '../../core/events/read-event.ts'
import { retryDatabase } from '../../warehouse/ledger/retry-database.ts'
import type { Receiving, ReceivingDeps } from './receive-notification.ts'
import { reportLate, unknownNotifications } from './unknown-notifications.ts'

/**
 * What came before the service's words were named was kept, and nobody knew what it says: it is read by them
 * now. Nothing newer gives way to it, so that it may be done at every beginning.
 */
export async function rereadNotifications(
  deps: ReceivingDeps,
  receiving: Receiving,
): Promise<void> {
  const { warehouse } = deps
  const { account, words } = receiving
  if (words === undefined) return
  const events = [...EVENTS.keys()].map(words.own).filter((event) => !EVENTS.has(event))
  for (let after = 0; ; ) {
    const scope = { account, events, after }
    const some = await retryDatabase(deps, () => unknownNotifications(warehouse, scope))
    for (const one of some) {
      const nowMs = Date.parse(one.receivedAt)
      const { says } = readEvent(readBody(one.body).parsed, { owner: receiving, nowMs, words })
      if (says !== undefined)
        await retryDatabase(deps, () => reportLate(warehouse, account, { ...one, says }))
    }
    const last = some.at(-1)
    if (last === undefined) return
    after = last.id
  }
}
