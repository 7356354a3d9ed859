import type { AccountSettings } from '../../config/account-settings.ts'
import { ConfigurationError } from '../../core/errors/errors.ts'
import { wordsOf } from '../../core/events/words.ts'
import { receiveNotification } from '../../engine/receive/receive-notification.ts'
import { rereadNotifications } from '../../engine/receive/reread-notifications.ts'
import { type Listening, listen } from '../../server/listen.ts'
import type { Endpoint } from '../../server/notifications.ts'
import { hasNotificationSecrets } from '../accounts/has-notification-secrets.ts'
import { type OpenWarehouse, type Wiring, withWarehouse } from '../accounts/wire.ts'
import { chooseAccounts } from '../catalog/choose.ts'
import type { CommonOptions } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { untilStopped } from '../frame/signals.ts'

export interface ListenCommandOptions extends CommonOptions {
  account?: string
}

export async function listenForNotifications(
  context: Context,
  options: ListenCommandOptions,
): Promise<number> {
  const { config } = await context.loadConfig()
  const accounts = chooseAccounts(config, options.account).filter(hasNotificationSecrets)
  if (accounts.length === 0)
    throw new ConfigurationError('no_notification_secret', {
      tried: 'Listening for notifications',
      expected: 'an account with notificationSecrets',
      came: 'none has any',
      todo: 'set accounts[].notificationSecrets to what the app page shows',
    })
  return await withWarehouse(context, { migrate: true }, async (opened) => {
    const { output, signal } = context
    const listening = await openReceiver(opened, accounts)
    const addresses = accounts.map(({ name }) => ({
      account: name,
      address: `${listening.url}${config.notifications.path}/${name}`,
    }))
    output.line('Waiting for notifications, until it is stopped (Ctrl-C):')
    output.table(addresses.map(({ account, address }) => [account, address]))
    output.result({ listening: addresses })
    await untilStopped(signal)
    await listening.close()
    return 0
  })
}

/** Listens with everything put together; answers once it does. */
export async function openReceiver(
  opened: OpenWarehouse,
  accounts: readonly AccountSettings[],
): Promise<Listening> {
  const { clock, observer, config } = opened.wiring
  const { host, port, path, windowSeconds, maxBodyBytes } = config.notifications
  const { signatureHeader, timestampHeader, signaturePrefix: prefix } = config.notifications
  const endpoints = await Promise.all(accounts.map((settings) => openEndpoint(opened, settings)))
  return await listen({
    host,
    port,
    path,
    maxBodyBytes,
    clock,
    observer,
    rules: { signatureHeader, timestampHeader, prefix, windowSeconds },
    endpoints,
  }).catch((error: unknown) => {
    throw explainAddress(error, opened.wiring)
  })
}

/** An account's endpoint, and what waited for it to be understood. */
async function openEndpoint(
  { warehouse, wiring }: OpenWarehouse,
  settings: AccountSettings,
): Promise<Endpoint> {
  const { name: account, accountId, clientId, notificationSecrets } = settings
  const { erasureHours } = wiring.config.notifications
  const secrets = notificationSecrets.map((secret) => secret.reveal())
  const words = wordsOf(settings.words)
  const owner = { account, accountId, clientId }
  const receiving = { ...owner, erasureHours, secret: secrets[0] ?? '', words }
  const deps = { warehouse, clock: wiring.clock, observer: wiring.observer }
  await rereadNotifications(deps, receiving)
  return {
    account,
    secrets,
    ...(words === undefined ? {} : { headerOf: words.own }),
    receive: (body) => receiveNotification(deps, receiving, body),
  }
}

function explainAddress(error: unknown, { config }: Wiring): unknown {
  const { code } = error as NodeJS.ErrnoException
  const came = REASONS[code ?? '']
  if (came === undefined) return error
  const { host, port } = config.notifications
  return new ConfigurationError('address_unavailable', {
    tried: `Listening on ${host}, port ${port}`,
    came,
    todo: 'set notifications.host and notifications.port to an address of this machine that is free',
  })
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program has it',
  EACCES: 'that is not allowed',
  EADDRNOTAVAIL: 'it is no address of this machine',
  ENOTFOUND: 'it is no address of this machine',
}
