import { environment, proxyOf } from '../../config/environment.ts'
import { isLoopbackHost } from '../../config/loopback.ts'
import type { Config } from '../../config/schema.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { MailServer } from './mail.ts'
import type { Channel } from './message.ts'

/** The channels of the setting `alerts`. Their modules are loaded only if they are used. */
export async function openChannels(
  { alerts, mail }: Pick<Config, 'alerts' | 'mail'>,
  { clock }: { clock: Clock },
): Promise<Channel[]> {
  const { webhook, command } = alerts
  const channels = alerts.mail === null ? [] : await openMail(mail, alerts.mail.to, clock)
  if (webhook !== null) channels.push(await openWebhook(webhook, 'alerts.webhook', clock))
  if (command !== null) {
    const { createCommand } = await import('./command.ts')
    const started = { setting: 'alerts.command', command, environment: plainEnvironment() }
    channels.push(createCommand({ ...started, timeoutMs: SEND_TIMEOUT_MS }, { clock }))
  }
  return channels
}

/** Empty if no mail server is configured. */
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

/** `setting` names the webhook in errors. */
export async function openWebhook(
  { url, form, bearer }: NonNullable<Config['alerts']['webhook']>,
  setting: string,
  clock: Clock,
): Promise<Channel> {
  const { createWebhook } = await import('./webhook.ts')
  const settings = {
    setting,
    url: () => url.reveal(),
    form,
    timeoutMs: SEND_TIMEOUT_MS,
    proxy: () => proxyOf(environment()),
    ...(bearer === null ? {} : { bearer: () => bearer.reveal() }),
  }
  return createWebhook(settings, { clock })
}

/**
 * Returns how to ping the dead man's switch, if one is configured. The ping rejects unless the answer is 2xx.
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

/** The server of the setting `mail`; undefined if there is none. */
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
 * How the connection is encrypted. Port 465 speaks TLS from the first byte. A connection within this machine
 * needs no TLS, and Node rarely trusts the certificate of a local server.
 */
export function tlsOf({ host, port }: Pick<MailServer, 'host' | 'port'>): MailServer['tls'] {
  if (port === 465) return 'implicit'
  return isLoopbackHost(host) ? 'none' : 'starttls'
}

/** The variables that a program needs. Others may hold secrets, so the command does not get them. */
function plainEnvironment(): Record<string, string | undefined> {
  const all = environment()
  return Object.fromEntries(PLAIN.map((name) => [name, all[name]]))
}

/** Timeout of one message. A channel that exceeds it is tried again later. */
const SEND_TIMEOUT_MS = 30_000

const PLAIN = ['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'SystemRoot', 'ComSpec']
