import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request on its way to the service. */
export interface Asked {
  method: string
  /** The encoded path, as the client sent it. */
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
}

export interface Told {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** The parsed value of a JSON body, otherwise the text. */
  body: unknown
}

/** Changes of the service's behavior: `ask` may modify each request, `tell` each response. */
export interface Ways {
  ask?(asked: Asked): void | Promise<void>
  tell?(asked: Asked, told: Told): void
}

export interface AlteringProxy {
  url: string
  requests: { method: string; path: string }[]
  ways: Ways
  close(): Promise<void>
}

/** Starts a proxy in front of a service that records requests and applies `ways`. */
export async function alteringProxy(serviceUrl: string): Promise<AlteringProxy> {
  const requests: AlteringProxy['requests'] = []
  const proxy = { requests, ways: {} as Ways }
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const sent = await readAll(incoming)
      const asked = askedOf(incoming)
      requests.push({ method: asked.method, path: asked.path })
      const original = { ...asked, query: new URLSearchParams(asked.query) }
      await proxy.ways.ask?.(asked)
      const told = await forward(serviceUrl, asked, sent)
      proxy.ways.tell?.(original, told)
      outgoing.sendDate = false
      const text = typeof told.body === 'string' ? told.body : JSON.stringify(told.body)
      const { 'content-length': _length, 'transfer-encoding': _encoding, ...headers } = told.headers
      outgoing.writeHead(told.status, headers).end(text)
    })()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  })
}

function askedOf({ method = 'GET', url = '/', headers }: IncomingMessage): Asked {
  const [path = '', query = ''] = url.split('?')
  return { method, path, query: new URLSearchParams(query), headers }
}

async function forward(serviceUrl: string, asked: Asked, sent: string): Promise<Told> {
  const { host: _host, connection: _connection, ...headers } = asked.headers
  const query = asked.query.size === 0 ? '' : `?${asked.query.toString()}`
  const { hostname, port } = new URL(serviceUrl)
  const outgoing = request({
    hostname,
    port,
    method: asked.method,
    path: asked.path + query,
    headers,
  })
  outgoing.end(sent)
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  const text = await readAll(response)
  return { status: response.statusCode ?? 0, headers: response.headers, body: parsed(text) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

async function readAll(stream: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of stream) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString()
}
