import { environment, plainEnvironment, proxyOf } from '../../config/environment.ts'
import { isLoopbackHost } from '../../config/loopback.ts'
import type { Config } from '../../config/schema.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { MailServer } from './mail.ts'
import type { Channel } from './message.ts'

/** Opens the channels of the setting `alerts`. Loads their modules only if they are used. */
export async function openChannels(
  { alerts, mail }: Pick<Config, 'alerts' | 'mail'>,
  { clock }: { clock: Clock },
): Promise<Channel[]> {
  const { webhook, command } = alerts
  const channels = alerts.mail === null ? [] : await openMail(mail, alerts.mail.to, clock)
  if (webhook !== null) channels.push(await openWebhook(webhook, 'alerts.webhook', clock))
  if (command !== null) channels.push(await openCommand({ command }, 'alerts.command', clock))
  return channels
}

/** Opens a command, which `setting` names in errors. */
export async function openCommand(
  { command, timeoutMs = SEND_TIMEOUT_MS }: { command: readonly string[]; timeoutMs?: number },
  setting: string,
  clock: Clock,
): Promise<Channel> {
  const { createCommand } = await import('./command.ts')
  return createCommand({ setting, command, environment: plainEnvironment(), timeoutMs }, { clock })
}

/** Returns the mail channel; an empty list if no mail server is configured. */
export async function openMail(
  mail: Config['mail'],
  to: readonly string[],
  clock: Clock,
): Promise<Channel[]> {
  const server = mailServer(mail)
  if (server === undefined) return []
  const { createMail } = await import('./mail.ts')
  return [createMail({ server, to }, { clock })]
}

/** Opens a webhook, which `setting` names in errors. */
export async function openWebhook(
  {
    url,
    form,
    bearer,
    timeoutMs = SEND_TIMEOUT_MS,
  }: NonNullable<Config['alerts']['webhook']> & { timeoutMs?: number },
  setting: string,
  clock: Clock,
): Promise<Channel> {
  const { createWebhook } = await import('./webhook.ts')
  const settings = {
    setting,
    url: () => url.reveal(),
    form,
    timeoutMs,
    proxy: () => proxyOf(environment()),
    ...(bearer === null ? {} : { bearer: () => bearer.reveal() }),
  }
  return createWebhook(settings, { clock })
}

/**
 * Returns a function that pings the dead man's switch, if one is configured. It rejects unless the response
 * is 2xx.
 */
export function openPing(
  { alerts: { ping } }: Pick<Config, 'alerts'>,
  { clock }: { clock: Clock },
): ((signal?: AbortSignal) => Promise<void>) | undefined {
  if (ping === null) return undefined
  return async (signal) => {
    const { sendRequest } = await import('./http-request.ts')
    const request = {
      tried: 'Pinging the address of alerts.ping',
      setting: 'alerts.ping',
      address: ping.reveal(),
      method: 'GET' as const,
      headers: { 'user-agent': 'callsheet' },
      proxy: proxyOf(environment()),
    }
    await sendRequest(request, { clock, timeoutMs: SEND_TIMEOUT_MS, signal })
  }
}

/** Returns the server of the setting `mail`; undefined if there is none. */
export function mailServer(mail: Config['mail']): MailServer | undefined {
  const { host, port, user, password, from } = mail
  if (host === null || from === null) return undefined
  return {
    host,
    port,
    tls: tlsOf({ host, port }),
    from,
    timeoutMs: SEND_TIMEOUT_MS,
    ...(user === null || password === null
      ? {}
      : { login: { user, password: () => password.reveal() } }),
  }
}

/**
 * Decides how the connection is encrypted. Port 465 uses TLS from the first byte. A connection within this
 * machine needs no TLS, and Node rarely trusts the certificate of a local server.
 */
export function tlsOf({ host, port }: Pick<MailServer, 'host' | 'port'>): MailServer['tls'] {
  if (port === 465) return 'implicit'
  return isLoopbackHost(host) ? 'none' : 'starttls'
}

/** The timeout of a message or ping, unless the caller sets another one. */
const SEND_TIMEOUT_MS = 30_000
