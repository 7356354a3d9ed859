import { readBody } from '../../core/notifications/body.ts'
import { EVENTS } from '../../core/notifications/events.ts'
import { type NotifiedState, readEvent } from '../../core/notifications/read-event.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import { retryDatabase } from '../../warehouse/ledger/retry-database.ts'
import { anyOf } from '../../warehouse/schema/expressions.ts'
import type { Receiving, ReceivingDeps } from './receive-notification.ts'
import { stateFrom } from './stored-notifications.ts'

/**
 * Reads stored events again that were unknown before the account's `words` were set. An older event does not
 * overwrite a newer state, so this is safe at every start.
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

export interface UnknownNotification {
  id: number
  body: Buffer
  hash: Buffer
  eventAt: string | null
  receivedAt: string
}

/** Returns stored notifications in the state `unknown` with these event names, in the order of arrival. */
export async function unknownNotifications(
  warehouse: Warehouse,
  { account, events, after }: { account: string; events: readonly string[]; after: number },
): Promise<UnknownNotification[]> {
  return await warehouse.db
    .selectFrom('callsheet.notifications')
    .select(['id', 'body', 'hash', 'event_at as eventAt', 'received_at as receivedAt'])
    .where('account', '=', account)
    .where('state', '=', 'unknown')
    .where('event', '=', anyOf(events))
    .where('id', '>', after)
    .orderBy('id')
    .limit(AT_ONCE)
    .execute()
}

/** Stores the state that the notification reports, unless a newer one is known. */
export async function reportLate(
  warehouse: Warehouse,
  account: string,
  { id, hash, eventAt, receivedAt, says }: UnknownNotification & { says: NotifiedState },
): Promise<void> {
  await warehouse.transaction((tx) =>
    stateFrom(tx, { account, id, hash, says, eventAt: eventAt ?? receivedAt }),
  )
}

const AT_ONCE = 500
