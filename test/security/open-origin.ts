import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Said {
  status: number
  body?: string
  /** Of the content. */
  type?: string
  location?: string
}

/** An origin on a port of its own that notes who comes with what. */
export async function openOrigin(answer: (headers: IncomingHttpHeaders, path: string) => Said) {
  const requests: { path: string; headers: IncomingHttpHeaders }[] = []
  const server = createServer((request, response) => {
    const { url: path = '', headers } = request
    requests.push({ path, headers })
    const { status, body = '', type, location } = answer(headers, path)
    response.writeHead(status, {
      'content-length': String(body.length),
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(location === undefined ? {} : { location }),
    })
    response.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const own = (server.address() as AddressInfo).port
  const close = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${own}`, port: own, requests, close }
}
