import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Proxy {
  url: string
  close(): Promise<void>
}

export interface Passing {
  /** Answers in the service's place when it says so. */
  instead?(path: string, request: IncomingMessage, response: ServerResponse): boolean
  /** What is sent of a good answer. */
  change(path: string, body: Record<string, unknown>): string
  /** What is taken out of addresses and headers on their way to the service. */
  forget?: string
}

/** Stands between the program and the service, and changes what the service says. */
export async function proxyTo(serviceUrl: string, passing: Passing): Promise<Proxy> {
  const forgotten = (text: string): string =>
    passing.forget === undefined ? text : text.replaceAll(passing.forget, '')
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readAll(request)
    const target = request.url ?? ''
    if (passing.instead?.(target, request, response) === true) return
    const { authorization = '' } = request.headers
    const upstream = await fetch(`${serviceUrl}${forgotten(target)}`, {
      method: request.method ?? 'GET',
      headers: { authorization: forgotten(authorization), ...FORM },
      ...(request.method === 'POST' ? { body } : {}),
    })
    const text = await upstream.text()
    const sent = upstream.ok ? passing.change(target, JSON.parse(text) as never) : text
    response.writeHead(upstream.status, { 'content-type': 'application/json' }).end(sent)
  }
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
