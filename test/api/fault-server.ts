import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Answer = (request: IncomingMessage, response: ServerResponse) => void

export interface FaultServer {
  url: string
  /** The received requests, oldest first: path with query, bearer, and the body as far as it arrived. */
  requests: { method: string; path: string; bearer: string | undefined; body: string }[]
  close(): Promise<void>
}

/** Answers the n-th request with the n-th answer, and all later ones with the last. */
export async function faultServer(...answers: Answer[]): Promise<FaultServer> {
  const requests: FaultServer['requests'] = []
  const server = createServer((request, response) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)]
    const { method = '', url: path = '', headers } = request
    const seen = { method, path, bearer: headers.authorization, body: '' }
    requests.push(seen)
    request.setEncoding('utf8').on('data', (text: string) => (seen.body += text))
    answer?.(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A complete answer. Objects are sent as JSON. */
export function send(
  status: number,
  body: unknown = '',
  headers: Record<string, string> = {},
): Answer {
  return (_request, response) => {
    const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
    const type = typeof body === 'string' || Buffer.isBuffer(body) ? {} : JSON_TYPE
    response.writeHead(status, { ...type, 'x-svc-trackingid': 'T-1', ...headers })
    response.end(text)
  }
}

/** The last page of a list of users. */
export const page = (...users: object[]): Answer => send(200, { users, next_page_token: '' })

/** Sends part of a body shorter than its content-length, then closes the connection. */
export const cutShort: Answer = (_request, response) => {
  response.writeHead(200, { ...JSON_TYPE, 'content-length': '1000' })
  response.write('{"users":[{"id":"half')
  setImmediate(() => response.destroy())
}

export const resetAtOnce: Answer = (request) => {
  request.socket.destroy()
}

export const JSON_TYPE = { 'content-type': 'application/json;charset=UTF-8' }
