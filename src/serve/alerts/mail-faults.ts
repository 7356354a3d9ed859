import { TellError } from '../../core/errors.ts'

/**
 * What kept a mail from being sent, by codes alone: what a server says may quote addresses, the user or the
 * message.
 */
export function mailFault(tried: string, error: unknown): TellError {
  const { code = 'error', originalCode, responseCode, response } = error as Fault
  const [kind, what, todo] = KINDS[code] ?? ['mail_failed', 'it failed', 'look at the mail server']
  const status = responseCode === undefined ? '' : `, status ${responseCode}${detailed(response)}`
  const cause = originalCode ?? (KINDS[code] === undefined ? code : undefined)
  const named = cause === undefined ? '' : ` (${cause})`
  const permanent = NOT_AGAIN.has(kind) || (responseCode !== undefined && responseCode >= 500)
  return new TellError(kind, !permanent, { tried, came: `${what}${named}${status}`, todo })
}

export function mailLate(tried: string, timeoutMs: number): TellError {
  return new TellError('told_late', true, {
    tried,
    expected: `that the server takes the mail within ${timeoutMs / 1000} s`,
    came: 'it did not',
    todo: 'check mail.host and mail.port',
  })
}

interface Fault {
  code?: string
  originalCode?: string
  responseCode?: number
  response?: string
}

/** The enhanced status code of RFC 3463, which has digits only. */
function detailed(response = ''): string {
  const [, code] = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response) ?? []
  return code === undefined ? '' : ` ${code}`
}

const REACH = 'check mail.host and mail.port, and that the server can be reached from here'
const LOGIN = 'check mail.user and mail.password'

const KINDS: Readonly<Record<string, readonly [kind: string, what: string, todo: string]>> = {
  EAUTH: ['mail_login_refused', 'the server refused the login', LOGIN],
  ENOAUTH: ['mail_login_refused', 'the server wants a login', LOGIN],
  ETLS: [
    'mail_tls',
    'there was no TLS with a certificate that can be trusted',
    'check mail.port (465 speaks TLS from the first byte), and NODE_EXTRA_CA_CERTS for an authority of ' +
      'your own; nothing was sent',
  ],
  EDNS: ['told_unreachable', 'the name of the server is not known', REACH],
  ECONNECTION: ['told_unreachable', 'the connection failed', REACH],
  ESOCKET: ['told_unreachable', 'the connection failed', REACH],
  ETIMEDOUT: ['told_late', 'the server did not answer in time', REACH],
  EENVELOPE: [
    'mail_refused',
    'the server refused the sender or all addresses',
    'check mail.from and the addresses',
  ],
  EMESSAGE: ['mail_refused', 'the server refused the message', 'look at the mail server'],
  EPROTOCOL: ['mail_failed', 'the server answered something else than SMTP', REACH],
}

/** The same mail would be refused again, until somebody changes a setting. */
const NOT_AGAIN = new Set(['mail_login_refused', 'mail_tls'])
