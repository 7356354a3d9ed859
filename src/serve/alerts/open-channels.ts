import { environment, proxyOf } from '../../config/environment.ts'
import { isLoopbackHost } from '../../config/loopback.ts'
import type { Config } from '../../config/schema.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { MailServer } from './mail.ts'
import type { Channel } from './message.ts'

/** The channels of the setting `alerts`. What sends mail is loaded only for mail. */
export async function openChannels(
  { alerts, mail }: Pick<Config, 'alerts' | 'mail'>,
  { clock }: { clock: Clock },
): Promise<Channel[]> {
  const { webhook, command } = alerts
  const channels: Channel[] = []
  const server = mailServer(mail)
  if (alerts.mail !== null && server !== undefined) {
    const { createMail } = await import('./mail.ts')
    channels.push(createMail({ server, to: alerts.mail.to }, { clock }))
  }
  if (webhook !== null) {
    const { createWebhook } = await import('./webhook.ts')
    const { url, form, bearer } = webhook
    const secrets = bearer === null ? {} : { bearer: () => bearer.reveal() }
    const to = { setting: 'alerts.webhook', url: () => url.reveal(), form, ...secrets }
    const proxy = () => proxyOf(environment())
    channels.push(createWebhook({ ...to, proxy, timeoutMs: MOST_TELLING_MS }, { clock }))
  }
  if (command !== null) {
    const { createCommand } = await import('./command.ts')
    const started = { setting: 'alerts.command', command, environment: plainEnvironment() }
    channels.push(createCommand({ ...started, timeoutMs: MOST_TELLING_MS }, { clock }))
  }
  return channels
}

/** How the dead man's switch is pinged, where there is one. */
export function openPing(
  { alerts: { ping } }: Pick<Config, 'alerts'>,
  { clock }: { clock: Clock },
): ((signal?: AbortSignal) => Promise<void>) | undefined {
  if (ping === null) return undefined
  return async (signal) => {
    const { ping: send } = await import('./ping.ts')
    const proxy = proxyOf(environment())
    const to = { url: () => ping.reveal(), timeoutMs: MOST_TELLING_MS, proxy }
    await send(to, { clock, signal })
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
    timeoutMs: MOST_TELLING_MS,
    ...(user === null || password === null
      ? {}
      : { login: { user, password: () => password.reveal() } }),
  }
}

/**
 * How the connection is encrypted. Port 465 speaks TLS from the first byte. What stays on this machine needs
 * no TLS, and the certificate of a server here is seldom one that Node knows.
 */
export function tlsOf({ host, port }: Pick<MailServer, 'host' | 'port'>): MailServer['tls'] {
  if (port === 465) return 'implicit'
  return isLoopbackHost(host) ? 'none' : 'starttls'
}

/** What a program needs to run and to find others; the rest of ours may be secrets. */
function plainEnvironment(): Record<string, string | undefined> {
  const all = environment()
  return Object.fromEntries(PLAIN.map((name) => [name, all[name]]))
}

/** Who cannot be told within this time is told again later; nothing else waits longer for it. */
export const MOST_TELLING_MS = 30_000

const PLAIN = ['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'SystemRoot', 'ComSpec']
