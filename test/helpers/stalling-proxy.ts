import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy between a client and a database, on real sockets. */
export interface StallingProxy {
  /** The database's address through the proxy. */
  url: string
  /** Accepts connections and bytes, but forwards nothing in either direction. */
  stall(): void
  /** Forwards all bytes that it held back, and everything from then on. */
  pass(): void
  close(): Promise<void>
}

export async function startStallingProxy(databaseUrl: string, port = 0): Promise<StallingProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let stalled = false
  const pass = (from: Socket, to: Socket): void => {
    sockets.add(from)
    from.on('data', (bytes) => to.write(bytes))
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
    // An error is followed by a close, which is handled above.
    from.on('error', () => {})
    if (stalled) from.pause()
  }
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    pass(client, upstream)
    pass(upstream, client)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    stall() {
      stalled = true
      for (const socket of sockets) socket.pause()
    },
    pass() {
      stalled = false
      for (const socket of sockets) socket.resume()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
