import { type AddressInfo, createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Issued } from './certificates.ts'

export interface FalsePostgres {
  port: number
  /** What came in the clear, before TLS or instead of it. */
  clear(): Buffer
  /** What came inside TLS, as somebody in the middle who holds the key reads it. */
  inside(): string
  close(): Promise<void>
}

/**
 * Somebody who answers in a database's place: with a certificate, or (`no-tls`) by saying that there is no
 * TLS here. After a login it asks for the password in the clear.
 */
export async function falsePostgres(answer: Issued | 'no-tls'): Promise<FalsePostgres> {
  const clear: Buffer[] = []
  const inside: Buffer[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', (request) => {
      clear.push(request)
      if (answer === 'no-tls') {
        socket.on('data', (more) => clear.push(more))
        socket.write('N')
      } else handshake(socket, answer, inside)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    clear: () => Buffer.concat(clear),
    inside: () => Buffer.concat(inside).toString('latin1'),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

function handshake(socket: Socket, { certificate, key }: Issued, inside: Buffer[]): void {
  socket.write('S')
  const secure = new TLSSocket(socket, { isServer: true, cert: certificate, key })
  secure.on('error', () => {})
  secure.on('data', (bytes: Buffer) => {
    inside.push(bytes)
    secure.write(ASK_FOR_PASSWORD)
  })
}

const ASK_FOR_PASSWORD = Buffer.from('520000000800000003', 'hex')
