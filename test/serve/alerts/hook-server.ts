import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface TakenCall {
  method: string | undefined
  path: string | undefined
  headers: IncomingHttpHeaders
  body: string
}

/** The server's answer: a status, a redirect or no answer. */
export type HookAnswer = number | { redirect: string } | 'nothing'

/** Starts an HTTP server that records its requests, on a free port of this machine. */
export async function startHookServer(answer: HookAnswer = 200) {
  const taken: TakenCall[] = []
  const state = { answer }
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const { method, url: path, headers } = request
      taken.push({ method, path, headers, body: Buffer.concat(pieces).toString() })
      server.emit('taken')
      const { answer: now } = state
      if (now === 'nothing') return
      if (typeof now === 'number') response.writeHead(now).end('said: token-of-the-url')
      else response.writeHead(302, { location: now.redirect }).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    taken,
    state,
    nextTaken: () => once(server, 'taken'),
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
