import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { type Issued, makeAuthority } from '../../security/certificates.ts'

/** A mail that the server accepted. */
export interface TakenMail {
  from: string
  to: string[]
  /** Undefined without a login. */
  user: string | undefined
  secure: boolean
  source: string
}

export interface MailServerOptions {
  /** The server's TLS mode; its certificate is issued by `mailAuthority`. */
  tls?: 'starttls' | 'implicit' | 'none'
  /** The login that the server requires. */
  login?: { user: string; password: string }
  /** Addresses that the server refuses. */
  unknown?: readonly string[]
}

const authority = makeAuthority('mail authority')
const issued: Issued = authority.issue('127.0.0.1')

/** The certificate (PEM) of the authority that issued the server's certificate. */
export const mailAuthority = authority.certificate

/** Starts an SMTP server on a free port of this machine. */
export async function startMailServer({
  tls = 'starttls',
  login,
  unknown = [],
}: MailServerOptions = {}) {
  const taken: TakenMail[] = []
  const refusal = (code: number, text: string) =>
    Object.assign(new Error(text), { responseCode: code })
  const server = new SMTPServer({
    key: issued.key,
    cert: issued.certificate,
    secure: tls === 'implicit',
    disabledCommands: [...(tls === 'none' ? ['STARTTLS'] : []), ...(login ? [] : ['AUTH'])],
    authOptional: login === undefined,
    allowInsecureAuth: tls === 'none',
    onAuth: ({ username, password }, _session, done) =>
      username === login?.user && password === login?.password
        ? done(null, { user: username })
        : done(refusal(535, `5.7.8 no such password for ${username ?? ''}`)),
    onRcptTo: ({ address }, _session, done) =>
      done(unknown.includes(address) ? refusal(550, `5.1.1 nobody is ${address}`) : null),
    onData: (stream, { envelope, user, secure }, done) => {
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = envelope
        taken.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          user: user === undefined ? undefined : String(user),
          secure,
          source: Buffer.concat(pieces).toString(),
        })
        done(null)
      })
    },
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return { port, taken, close: () => new Promise<void>((resolve) => server.close(resolve)) }
}

/** Starts a server that accepts connections and sends nothing. */
export async function startSilentServer() {
  const server: Server = createServer()
  const connected = once(server, 'connection') as Promise<[{ destroy(): void }]>
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    connected,
    async close() {
      const [socket] = await connected
      socket.destroy()
      server.close()
    },
  }
}

/** Returns the unfolded headers of a mail by their lower-case names. */
export function headersOf(source: string): Map<string, string> {
  const [head = ''] = source.split('\r\n\r\n')
  return new Map(
    head
      .replaceAll(/\r\n[ \t]+/g, ' ')
      .split('\r\n')
      .map((line) => {
        const at = line.indexOf(':')
        return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()]
      }),
  )
}
