import { columnPolicyOf } from '../../account/column-policy.ts'
import type { OpenWarehouse, Wiring } from '../../account/wire.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import { wordsOf } from '../../core/notifications/words.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import type { Listening } from '../listen.ts'
import { type Endpoint, listen } from '../notifications/notifications.ts'
import { receiveNotification } from '../notifications/receive-notification.ts'
import { rereadNotifications } from '../notifications/reread-notifications.ts'

export type ReceiverAddress = { account: string; url: string }

/** Returns the local URL of each account's receiver. */
export function addressesOf(
  { url }: Listening,
  accounts: readonly AccountSettings[],
): ReceiverAddress[] {
  return accounts.map(({ name }) => ({ account: name, url: `${url}${PATH}/${name}` }))
}

/** The accounts of one database whose notifications are received. */
export interface ReceivingPlace {
  accounts: readonly AccountSettings[]
  /** Resolves once the database has been reached. */
  warehouse: Promise<Warehouse>
}

/**
 * Starts to listen for the notifications of these accounts. A notification waits a moment for its account's
 * database; if that is not reached, the response is 503, after which the service sends it again.
 */
export async function openReceiver(
  { clock, observer, config }: Wiring,
  places: readonly ReceivingPlace[],
): Promise<Listening> {
  const { host, port } = config.notifications
  const endpoints = places.flatMap(({ accounts, warehouse }) =>
    accounts.map((settings) => endpointOf({ clock, observer, config, warehouse }, settings)),
  )
  const listening = await listen({
    setting: 'notifications',
    host,
    port,
    path: PATH,
    maxBodyBytes: MOST_BYTES,
    clock,
    observer,
    endpoints,
  })
  const receiving = places.flatMap(({ accounts }) => accounts)
  for (const address of addressesOf(listening, receiving)) observer.event('listening', address)
  return listening
}

/** Reads stored unknown events of these accounts again by the accounts' words. */
export async function rereadUnknown(
  { warehouse, wiring: { clock, observer } }: OpenWarehouse,
  accounts: readonly AccountSettings[],
): Promise<void> {
  for (const settings of accounts)
    await rereadNotifications({ warehouse, clock, observer }, receivingOf(settings))
}

function endpointOf(
  { clock, observer, config, warehouse }: Wiring & ReachedWarehouse,
  settings: AccountSettings,
): Endpoint {
  const columns = columnPolicyOf(config, settings)
  const receiving = { ...receivingOf(settings), columns }
  const { words } = receiving
  return {
    account: settings.name,
    secrets: settings.notificationSecrets.map((secret) => secret.reveal()),
    ...(words === undefined ? {} : { headerOf: words.own }),
    async receive(body) {
      const reached = await warehouse
      return await receiveNotification({ warehouse: reached, clock, observer }, receiving, body)
    },
  }
}

function receivingOf(settings: AccountSettings) {
  const { name: account, app, accountId, notificationSecrets } = settings
  // A public client's events may contain either of its two IDs, so only the signature identifies it.
  const clientId = app === 'public-client' ? null : settings.clientId
  const secret = notificationSecrets[0]?.reveal() ?? ''
  return { account, accountId, clientId, secret, words: wordsOf(settings.words) }
}

type ReachedWarehouse = Pick<ReceivingPlace, 'warehouse'>

const PATH = '/notifications'
/** The maximum size of a notification, far above the largest event in the documents. */
const MOST_BYTES = 2 ** 18
