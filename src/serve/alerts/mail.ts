import { createTransport, type SMTPSentMessageInfo, type SMTPTransportOptions } from 'nodemailer'
import type { Clock } from '../../core/time/clock.ts'
import { mailFault, mailLate } from './mail-faults.ts'
import { type Channel, type Message, oneLine } from './message.ts'
import { type ReadAttachment, readAttachments } from './read-attachments.ts'
import { withinTime } from './within.ts'

/** A server that takes mail. Its secrets are read when they are used. */
export interface MailServer {
  host: string
  port: number
  /** `starttls` and `implicit` send nothing without a verified certificate. */
  tls: 'starttls' | 'implicit' | 'none'
  login?: { user: string; password: () => string }
  from: string
  timeoutMs: number
}

/** Mails each message to the same addresses. A part of them that the server refuses becomes a remark. */
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
    // Set here, so that no environment variable can turn off the check of certificates.
    tls: { rejectUnauthorized: true, minVersion: 'TLSv1.2' },
    // Without a login that was asked for nothing is sent, though the server may not offer any.
    ...(login === undefined
      ? {}
      : { auth: { user: login.user, pass: login.password() }, forceAuth: true }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // A message is made of what it holds alone.
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

function mailOf({ subject, text, html }: Message, { from, to, files, nowMs }: Addressed) {
  return {
    from: { name: 'Callsheet', address: from },
    to: to.map((address) => ({ name: '', address })),
    subject: oneLine(subject),
    text,
    ...(html === undefined ? {} : { html }),
    date: new Date(nowMs),
    attachments: files.map(({ name, contentType, bytes }) => ({
      filename: name,
      contentType,
      content: bytes,
    })),
    // Holiday notices need not answer it.
    headers: { 'auto-submitted': 'auto-generated' },
  }
}

function remarkOn({ rejected }: SMTPSentMessageInfo, all: number): string | undefined {
  return rejected.length === 0 ? undefined : `${rejected.length} of ${all} addresses were refused`
}

const TRIED = 'Sending mail by the server of the setting mail'
