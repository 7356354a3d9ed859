import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { TruthRow } from '../protocol/stream-truth.ts'
import { chooseReadings } from '../readings/readings.ts'
import type { SandboxOptions } from '../seed-data/options.ts'
import { makeService, type SimulatedService } from './service.ts'

export interface Sandbox
  extends Omit<SimulatedService, 'respond' | 'truth' | 'recordingsShownTwice' | 'stop'> {
  /** The origin; the admin endpoints are under `/__sandbox/`. */
  url: string
  truth(stream: string, account?: string): AsyncIterable<TruthRow>
  close(): Promise<void>
}

/** Starts the simulated service on a loopback port of this process. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const ready: Ready = {}
  const server = await listen(ready, options.port ?? 0)
  const readings = chooseReadings(options.seed ?? 1, options.readings ?? {})
  const api = readings.apiUrl === 'moved' ? await listen(ready, 0) : server
  const files = readings.fileHost === 'api' ? api : await listen(ready, 0)
  const url = urlOf(server)
  const made = makeService(options, { url, apiUrl: urlOf(api), fileUrl: urlOf(files) })
  ready.service = made
  return {
    ...made,
    url,
    truth: (stream, account) => eachOf(made.truth(stream, account)),
    close: async () => {
      made.stop()
      await Promise.all([...new Set([server, api, files])].map(closeServer))
    },
  }
}

interface Ready {
  service?: SimulatedService
}

async function listen(ready: Ready, port: number): Promise<Server> {
  const server = createAdaptorServer({
    fetch: (request, env) =>
      ready.service?.respond(request, env) ?? new Response(null, { status: 503 }),
  }) as Server
  server.keepAliveTimeout = 60_000
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
}

async function* eachOf<T>(rows: Iterable<T>): AsyncGenerator<T> {
  for (const row of rows) yield await Promise.resolve(row)
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
