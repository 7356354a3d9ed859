import { createTransport, type SMTPSentMessageInfo, type SMTPTransportOptions } from 'nodemailer'
import { DeliveryError } from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import { type ReadAttachment, readAttachments } from './attachments.ts'
import { type Channel, type Message, oneLine } from './message.ts'
import { withinTime } from './within-time.ts'

/** A mail server. Its password is read when it is used. */
export interface MailServer {
  host: string
  port: number
  /** With `starttls` and `implicit`, login and mail are sent only if the server's certificate is verified. */
  tls: 'starttls' | 'implicit' | 'none'
  login?: { user: string; password: () => string }
  from: string
  timeoutMs: number
}

/**
 * Mails each message to the same addresses. If the server refuses some addresses, `send` returns a remark.
 */
export function createMail(
  { server, to }: { server: MailServer; to: readonly string[] },
  { clock }: { clock: Clock },
): Channel {
  return {
    name: 'mail',
    async send(message, signal) {
      const { timeoutMs } = server
      const options = optionsOf(server)
      const files = await readAttachments(TRIED, message.attachments ?? [])
      const mail = mailOf(message, { from: server.from, to, files, nowMs: clock.now() })
      const sent = await withinTime(
        { clock, timeoutMs, signal },
        () => mailLate(TRIED, timeoutMs),
        (stop) =>
          createTransport(options)
            .sendMail({ ...mail, signal: stop })
            .catch((error: unknown) => {
              throw mailFault(TRIED, error)
            }),
      )
      return remarkOn(sent, to.length)
    },
  }
}

function optionsOf({ host, port, tls, login, timeoutMs }: MailServer): SMTPTransportOptions {
  return {
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    // Set explicitly, so that no environment variable can turn off the check of certificates.
    tls: { rejectUnauthorized: true, minVersion: 'TLSv1.2' },
    // If a login is configured, send nothing without it, even if the server offers no login.
    ...(login === undefined
      ? {}
      : { auth: { user: login.user, pass: login.password() }, forceAuth: true }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // Attachments are read by us, never by the library.
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

interface Addressed {
  from: string
  to: readonly string[]
  files: readonly ReadAttachment[]
  nowMs: number
}

function mailOf({ subject, text }: Message, { from, to, files, nowMs }: Addressed) {
  return {
    from: { name: 'Callsheet', address: from },
    to: to.map((address) => ({ name: '', address })),
    subject: oneLine(subject),
    text,
    date: new Date(nowMs),
    attachments: files.map(({ name, contentType, bytes }) => ({
      filename: name,
      contentType,
      content: bytes,
    })),
    // Suppresses out-of-office replies.
    headers: { 'auto-submitted': 'auto-generated' },
  }
}

function remarkOn({ rejected }: SMTPSentMessageInfo, all: number): string | undefined {
  return rejected.length === 0 ? undefined : `${rejected.length} of ${all} addresses were refused`
}

const TRIED = 'Sending mail through the server of the setting mail'

/** Explains why a mail was not sent. Uses only codes, because a server's text may quote the message. */
export function mailFault(tried: string, error: unknown): DeliveryError {
  const { code = 'error', originalCode, responseCode, response } = error as Fault
  const [kind, what, todo] = KINDS[code] ?? ['mail_failed', 'sending failed', SERVER_LOG]
  const status = responseCode === undefined ? '' : `, status ${responseCode}${detailed(response)}`
  const cause = originalCode ?? (KINDS[code] === undefined ? code : undefined)
  const named = cause === undefined ? '' : ` (${cause})`
  const permanent = NOT_AGAIN.has(kind) || (responseCode !== undefined && responseCode >= 500)
  return new DeliveryError(kind, !permanent, { tried, came: `${what}${named}${status}`, todo })
}

export function mailLate(tried: string, timeoutMs: number): DeliveryError {
  return new DeliveryError('delivery_late', true, {
    tried,
    came: `the server did not accept the mail within ${timeoutMs / 1000} s`,
    todo: 'check mail.host and mail.port',
  })
}

interface Fault {
  code?: string
  originalCode?: string
  responseCode?: number
  response?: string
}

/** Returns the enhanced status code of RFC 3463, such as ` 5.1.1`; empty if the response has none. */
function detailed(response = ''): string {
  const [, code] = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response) ?? []
  return code === undefined ? '' : ` ${code}`
}

const REACH = 'check mail.host and mail.port, and that this machine can reach the server'
const LOGIN = 'check mail.user and mail.password'
const SERVER_LOG = 'check the log of the mail server'

const KINDS: Readonly<Record<string, readonly [kind: string, what: string, todo: string]>> = {
  EAUTH: ['mail_login_refused', 'the server refused the login', LOGIN],
  ENOAUTH: ['mail_login_refused', 'the server requires a login', LOGIN],
  ETLS: [
    'mail_tls',
    'no TLS connection with a trusted certificate was possible; nothing was sent',
    'check mail.port (465 uses TLS from the first byte); for a private certificate authority, set ' +
      'NODE_EXTRA_CA_CERTS',
  ],
  EDNS: ['delivery_unreachable', 'the name of the server cannot be resolved', REACH],
  ECONNECTION: ['delivery_unreachable', 'the connection failed', REACH],
  ESOCKET: ['delivery_unreachable', 'the connection failed', REACH],
  ETIMEDOUT: ['delivery_late', 'the server did not answer in time', REACH],
  EENVELOPE: [
    'mail_refused',
    'the server refused the sender or all addresses',
    'check mail.from and the recipients',
  ],
  EMESSAGE: ['mail_refused', 'the server refused the message', SERVER_LOG],
  EPROTOCOL: ['mail_failed', 'the server does not speak SMTP', REACH],
}

/** Errors that are not tried again: in most cases a person must change a setting. */
const NOT_AGAIN = new Set(['mail_login_refused', 'mail_tls'])
