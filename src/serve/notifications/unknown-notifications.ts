import type { NotifiedState } from '../../core/events/read-event.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import { anyOf } from '../../warehouse/schema/expressions.ts'
import { stateFrom } from './stored-notifications.ts'

export interface UnknownNotification {
  id: number
  body: Buffer
  hash: Buffer
  eventAt: string | null
  receivedAt: string
}

/** The stored notifications with these names that no document named then, in the order of arrival. */
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

/** Stores the state that such a notification reports, unless a newer one is known. */
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
