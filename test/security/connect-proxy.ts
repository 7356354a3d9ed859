import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

/** A proxy of a network: leads each tunnel to one port of this machine, or refuses it. */
export async function connectProxy(leadTo: number, refusal?: { status: number }) {
  const asked: { target: string; login: string | undefined }[] = []
  const sockets = new Set<Socket>()
  const server = createServer((_request, response) => response.writeHead(501).end())
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  server.on('connect', ({ url = '', headers }: IncomingMessage, socket: Socket) => {
    asked.push({ target: url, login: headers['proxy-authorization'] })
    if (refusal !== undefined) {
      const page = '<html>The network says no</html>'
      return socket.end(
        `HTTP/1.1 ${refusal.status} No\r\ncontent-length: ${page.length}\r\n\r\n${page}`,
      )
    }
    const beyond = connect(leadTo, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      beyond.pipe(socket).pipe(beyond)
    })
    sockets.add(beyond)
    beyond.on('error', () => socket.destroy())
    return undefined
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    address: `http://127.0.0.1:${port}`,
    asked,
    close: async (): Promise<void> => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
