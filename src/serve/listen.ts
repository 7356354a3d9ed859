import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createAdaptorServer, type HttpBindings } from '@hono/node-server'
import type { Hono } from 'hono'
import { ConfigurationError } from '../core/errors.ts'

export interface Address {
  /** The section of the configuration with the address. */
  setting: 'notifications' | 'serve'
  host: string
  /** 0 picks a free port. */
  port: number
  limits?: ConnectionLimits
  /** Allows closing open requests, when the server stops or is full, because they only read. */
  cutsOff?: true
}

/** Timeouts for slow senders, and how many connections may be open. */
export interface ConnectionLimits {
  headersMs: number
  requestMs: number
  connections: number
}

export interface Listening {
  /** The local origin, such as `http://127.0.0.1:8080`. */
  url: string
  /** Stops listening, and resolves once open requests are answered, or closed if `cutsOff` is set. */
  close(): Promise<void>
}

/** Serves an app. Rejects with an error that names the settings if the address is not available. */
export async function serveApp(
  app: Hono<{ Bindings: HttpBindings }>,
  { setting, host, port, limits = LIMITS, cutsOff }: Address,
): Promise<Listening> {
  const server = createAdaptorServer({
    fetch: app.fetch,
    serverOptions: {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      // How often the two timeouts above are checked.
      connectionsCheckingInterval: Math.min(1_000, limits.headersMs),
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16_384,
    },
  }) as Server
  admitConnections(server, limits.connections, cutsOff === true)
  server.listen(port, host)
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    const came = REASONS[error.code ?? '']
    if (came === undefined) throw error
    throw new ConfigurationError('address_unavailable', {
      tried: `Listening on ${host}, port ${port}`,
      came,
      todo: `set ${setting}.host and ${setting}.port to a free address of this machine`,
    })
  })
  const { address, family, port: taken } = server.address() as AddressInfo
  const name = family === 'IPv6' ? `[${address}]` : address
  return { url: `http://${name}:${taken}`, close: () => closeServer(server, cutsOff === true) }
}

async function closeServer(server: Server, cutsOff: boolean): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  if (cutsOff) server.closeAllConnections()
  else server.closeIdleConnections()
  await closed
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses this port',
  EACCES: 'this user is not allowed to use this port',
  EADDRNOTAVAIL: 'this machine does not have this address',
  ENOTFOUND: 'this machine does not have this address',
}
const LIMITS: ConnectionLimits = { headersMs: 5_000, requestMs: 10_000, connections: 500 }

/**
 * Limits the connections of a server. At the limit, a new connection closes the connection that has been idle
 * longest, so that nobody can block the address with silent connections. If all are busy, the new one is
 * closed; with `cutsOff`, the one that has been busy longest.
 */
export function admitConnections(server: Server, most: number, cutsOff: boolean): void {
  /** Idle connections, the longest idle first. */
  const idle = new Set<Socket>()
  /** The number of open requests by connection, the longest busy first. */
  const busy = new Map<Socket, number>()
  const forget = (socket: Socket): void => {
    idle.delete(socket)
    busy.delete(socket)
  }
  server.on('connection', (socket: Socket) => {
    const [longest = cutsOff ? busy.keys().next().value : undefined] = idle
    idle.add(socket)
    socket.once('close', () => forget(socket))
    if (idle.size + busy.size <= most) return
    const leaving = longest ?? socket
    forget(leaving)
    leaving.destroy()
  })
  server.on('request', ({ socket }, response) => {
    if (!idle.delete(socket) && !busy.has(socket)) return
    busy.set(socket, (busy.get(socket) ?? 0) + 1)
    response.once('close', () => {
      const left = (busy.get(socket) ?? 0) - 1
      if (left > 0) busy.set(socket, left)
      else if (busy.delete(socket)) idle.add(socket)
    })
  })
}
