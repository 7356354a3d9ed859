import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer, type HttpBindings } from '@hono/node-server'
import type { Hono } from 'hono'
import { ConfigurationError } from '../core/errors.ts'
import { admitConnections } from './admit-connections.ts'

export interface Address {
  /** By whose settings it is changed. */
  setting: 'notifications' | 'serve'
  host: string
  /** 0 takes a free one. */
  port: number
  limits?: ConnectionLimits
  /** Closing waits for no answer that is under way: all of them only show something. */
  cutsOff?: true
}

/** Who sends slowly, or nothing, holds a connection for no longer. Idle ones go first. */
export interface ConnectionLimits {
  headersMs: number
  requestMs: number
  connections: number
}

export interface Listening {
  /** The origin, as this machine reaches it. */
  url: string
  /** Takes nothing more, answers what is under way, and resolves. */
  close(): Promise<void>
}

/** Serves an app on an address of this machine. Rejects by the names of its settings if that is not free. */
export async function serveApp(
  app: Hono<{ Bindings: HttpBindings }>,
  { setting, host, port, limits = LIMITS, cutsOff }: Address,
): Promise<Listening> {
  const server = createAdaptorServer({
    fetch: app.fetch,
    serverOptions: {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      // How often the two above are looked at.
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
      todo: `set ${setting}.host and ${setting}.port to an address of this machine that is free`,
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
  EADDRINUSE: 'another program has it',
  EACCES: 'that is not allowed',
  EADDRNOTAVAIL: 'it is no address of this machine',
  ENOTFOUND: 'it is no address of this machine',
}
const LIMITS: ConnectionLimits = { headersMs: 5_000, requestMs: 10_000, connections: 500 }
