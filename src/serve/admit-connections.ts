import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Keeps a server at so many connections. When one more comes, the one that has been idle for longest goes,
 * because whoever opens many and says nothing would shut the address for all others. If each of them is
 * being answered, the newcomer goes; with `cutsOff` it is the one whose answer takes longest.
 */
export function admitConnections(server: Server, most: number, cutsOff: boolean): void {
  /** In the order in which they became idle. */
  const idle = new Set<Socket>()
  /** By the number of requests under way, in the order of the first of them. */
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
