import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
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
  /** Closes open requests at once, because they only read. */
  cutsOff?: true
}

/** Timeouts for slow senders, and how many connections may be open; above that, new ones are closed. */
export interface ConnectionLimits {
  headersMs: number
  requestMs: number
  connections: number
}

export interface Listening {
  /** The local origin, such as `http://127.0.0.1:8080`. */
  url: string
  /** Stops listening, answers open requests, and resolves. */
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
  server.maxConnections = limits.connections
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
