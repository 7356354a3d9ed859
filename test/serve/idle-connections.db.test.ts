import { once } from 'node:events'
import { connect as dial, type Socket } from 'node:net'
import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { afterEach, describe, expect, it } from 'vitest'
import { type Listening, serveApp } from '../../src/serve/listen.ts'
import { opened } from './bare-receiver.ts'
import { send } from './stage.ts'

/** The most connections of a server. */
const MOST = 500
/** Longer than any test, so that no connection is closed by a time limit. */
const PATIENT = { headersMs: 60_000, requestMs: 60_000 }

const sockets: Socket[] = []
const open: Listening[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const listening of open.splice(0)) await listening.close()
})

async function status(limits?: { connections: number }): Promise<Listening> {
  const app = new Hono<{ Bindings: HttpBindings }>().get('/livez', (http) => http.text('alive\n'))
  const listening = await serveApp(app, {
    setting: 'serve',
    host: '127.0.0.1',
    port: 0,
    cutsOff: true,
    ...(limits === undefined ? {} : { limits: { ...PATIENT, ...limits } }),
  })
  open.push(listening)
  return listening
}

async function hold(url: string, text: string, answered: boolean): Promise<Socket> {
  const socket = dial(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  sockets.push(socket)
  await once(socket, 'connect')
  if (text !== '') socket.write(text)
  if (answered) await once(socket, 'data')
  return socket
}

async function livez(url: string): Promise<[number, string]> {
  const answer = await fetch(`${url}/livez`, {
    headers: { connection: 'close' },
    signal: AbortSignal.timeout(5_000),
  })
  return [answer.status, await answer.text()]
}

const ASK = 'GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n'
const IDLE: readonly (readonly [string, string, boolean])[] = [
  ['send nothing', '', false],
  ['begin a request and never complete it', 'GET /livez HTTP/1.1\r\nhost: local', false],
  ['were answered and stay open', ASK, true],
  ['were answered and begin another request', `${ASK}GET /li`, true],
  [
    'were answered and have not sent the rest of a body',
    ASK.replace('\r\n\r\n', '\r\ncontent-length: 9\r\n\r\n'),
    true,
  ],
]

describe('500 connections do not block /livez if they', () => {
  it.each(IDLE)('%s', async (_how, text, answered) => {
    const { url } = await status({ connections: MOST })
    for (let at = 0; at < MOST; at += 50)
      await Promise.all(Array.from({ length: 50 }, () => hold(url, text, answered)))
    for (let at = 0; at < 3; at++) expect(await livez(url)).toEqual([200, 'alive\n'])
  })

  it('send nothing, with the default limits', async () => {
    const { url } = await status()
    for (let at = 0; at < MOST + 20; at += 40)
      await Promise.all(Array.from({ length: 40 }, () => hold(url, '', false)))
    expect(await livez(url)).toEqual([200, 'alive\n'])
  })
})

it('a full server closes the connection that was idle longest first', async () => {
  const { url } = await status({ connections: 3 })
  const [first, second, third] = [
    await hold(url, '', false),
    await hold(url, ASK, true),
    await hold(url, ASK, true),
  ]
  // A new request on the first connection makes the second the longest idle one.
  first.write(ASK)
  await once(first, 'data')
  const gone = once(second, 'close')
  await hold(url, ASK, true)
  await gone
  expect([first.closed, third.closed]).toEqual([false, false])
})

/** A server with ten connections, whose slow answers end when the test ends them. */
async function slowApp(cutsOff?: true) {
  const app = new Hono<{ Bindings: HttpBindings }>()
  const ends: (() => void)[] = []
  app.get('/slow', async (http) => {
    await new Promise<void>((resolve) => ends.push(resolve))
    return http.text('slow')
  })
  app.get('/livez', (http) => http.text('alive\n'))
  const limits = { ...PATIENT, connections: 10 }
  const setting = 'serve' as const
  const address = { setting, host: '127.0.0.1', port: 0, limits, ...(cutsOff && { cutsOff }) }
  const listening = await serveApp(app, address)
  open.push(listening)
  const { url } = listening
  const slow = () => fetch(`${url}/slow`).then((answer) => answer.text())
  return { url, ends, slow }
}

it('a full server closes idle connections, but none with a request in progress', async () => {
  const { url, ends, slow } = await slowApp()
  const nine = Array.from({ length: 9 }, slow)
  await expect.poll(() => ends.length).toBe(9)
  for (let at = 0; at < 30; at++) await hold(url, '', false)
  expect(await livez(url)).toEqual([200, 'alive\n'])
  // If all connections are busy, the new one is closed.
  const last = slow()
  await expect.poll(() => ends.length).toBe(10)
  await expect(livez(url)).rejects.toThrow('fetch failed')
  for (const end of ends) end()
  expect(await Promise.all([...nine, last])).toEqual(Array.from({ length: 10 }, () => 'slow'))
})

it('a full server of reads closes the connection with the longest-running request', async () => {
  const { url, ends, slow } = await slowApp(true)
  const first = slow().catch((error: Error) => error.message)
  await expect.poll(() => ends.length).toBe(1)
  const others = Array.from({ length: 9 }, slow)
  await expect.poll(() => ends.length).toBe(10)
  expect(await livez(url)).toEqual([200, 'alive\n'])
  expect(await first).toBe('fetch failed')
  for (const end of ends) end()
  expect(await Promise.all(others)).toEqual(Array.from({ length: 9 }, () => 'slow'))
})

it('500 silent connections do not block notifications', async () => {
  const receiver = await opened({ limits: { ...PATIENT, connections: MOST } })
  open.push(receiver)
  for (let at = 0; at < MOST; at += 50)
    await Promise.all(Array.from({ length: 50 }, () => hold(receiver.url, '', false)))
  for (let at = 0; at < 20; at++)
    expect((await send(`${receiver.url}/n/main`, { at }, { secret: 's' })).status).toBe(200)
})
