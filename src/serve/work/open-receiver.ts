import type { OpenWarehouse } from '../../account/wire.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import { wordsOf } from '../../core/notifications/words.ts'
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

/** Starts to listen for the notifications of these accounts. */
export async function openReceiver(
  opened: OpenWarehouse,
  accounts: readonly AccountSettings[],
): Promise<Listening> {
  const { clock, observer, config } = opened.wiring
  const { host, port } = config.notifications
  const endpoints = await Promise.all(accounts.map((settings) => openEndpoint(opened, settings)))
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
  for (const address of addressesOf(listening, accounts)) observer.event('listening', address)
  return listening
}

/** Reads stored unknown events again by the account's words, then returns its endpoint. */
async function openEndpoint(
  { warehouse, wiring }: OpenWarehouse,
  settings: AccountSettings,
): Promise<Endpoint> {
  const { name: account, app, accountId, notificationSecrets } = settings
  const secrets = notificationSecrets.map((secret) => secret.reveal())
  const words = wordsOf(settings.words)
  // A public client's events may contain either of its two IDs, so only the signature identifies it.
  const clientId = app === 'public-client' ? null : settings.clientId
  const owner = { account, accountId, clientId }
  const receiving = { ...owner, secret: secrets[0] ?? '', words }
  const deps = { warehouse, clock: wiring.clock, observer: wiring.observer }
  await rereadNotifications(deps, receiving)
  return {
    account,
    secrets,
    ...(words === undefined ? {} : { headerOf: words.own }),
    receive: (body) => receiveNotification(deps, receiving, body),
  }
}

const PATH = '/notifications'
/** The maximum size of a notification, far above the largest event in the documents. */
const MOST_BYTES = 2 ** 18
