import { once } from 'node:events'
import { connect as dial, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { silentObserver } from '../../src/core/define/observer.ts'
import { type Clock, systemClock } from '../../src/core/time/clock.ts'
import { receiveNotification } from '../../src/serve/notifications/receive-notification.ts'
import { connect } from '../../src/warehouse/connect.ts'
import { manualClock } from '../helpers/manual-clock.ts'
import { opened } from './bare-receiver.ts'
import { NOW_MS, send } from './stage.ts'

const body = '{"event":"svcroom.created"}'

describe('a receiver of notifications', () => {
  it('answers 503 at once, without a reason, if the database is down', async () => {
    const warehouse = connect({ url: 'postgresql://u:hush@127.0.0.1:1/none', poolSize: 1 })
    const clock: Clock = { ...systemClock, now: () => NOW_MS, sleep: () => Promise.resolve() }
    const deps = { warehouse, clock, observer: silentObserver }
    const receiving = {
      account: 'main',
      accountId: null,
      clientId: null,
      secret: 's',
    }
    const away = await opened({ receive: (bytes) => receiveNotification(deps, receiving, bytes) })
    const answer = await send(`${away.url}/n/main`, body, { secret: 's' })
    expect(answer).toEqual({ status: 503, text: '' })
    await away.close()
    await warehouse.close()
  })

  it('processes at most 64 requests at once, and answers 503 to others until slots are free', async () => {
    const ends: (() => void)[] = []
    const full = Promise.withResolvers<void>()
    const crowded = await opened({
      receive: async () => {
        await new Promise<void>((resolve) => {
          ends.push(resolve)
          if (ends.length === 64) full.resolve()
        })
        return 'stored'
      },
    })
    const told = (at: number) => send(`${crowded.url}/n/main`, { at }, { secret: 's' })
    const first = Array.from({ length: 64 }, (_, at) => told(at))
    await full.promise
    expect((await told(64)).status).toBe(503)
    for (const end of ends.splice(0)) end()
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual(first.map(() => 200))
    const last = told(64)
    await expect.poll(() => ends.length).toBe(1)
    ends[0]?.()
    expect((await last).status).toBe(200)
    await crowded.close()
  })
})

describe('the time limits of the receiver', () => {
  it('make it answer 503 before the sender’s 3 s are over, if a notification is not stored', async () => {
    const clock = manualClock(NOW_MS)
    let end = (): void => {}
    const begun = Promise.withResolvers<void>()
    const slow = await opened({
      clock,
      receive: async () => {
        begun.resolve()
        await new Promise<void>((resolve) => (end = resolve))
        return 'stored'
      },
    })
    const answer = send(`${slow.url}/n/main`, body, { secret: 's' })
    await begun.promise
    await clock.advance(2_600)
    expect((await answer).status).toBe(503)
    end()
    await slow.close()
  })

  it('close the connections of slow senders, and other senders are served meanwhile', async () => {
    const quick = await opened({ limits: { headersMs: 150, requestMs: 300, connections: 300 } })
    const port = Number(new URL(quick.url).port)
    const sockets = Array.from({ length: 200 }, (_, at) => {
      const socket = dial(port, '127.0.0.1')
      socket.on('error', () => {})
      if (at % 2 === 0) socket.write('POST /n/main HTTP/1.1\r\nhost: x\r\ncontent-le')
      return socket
    })
    const answers = []
    for (let at = 0; at < 20; at++)
      answers.push(await send(`${quick.url}/n/main`, { at }, { secret: 's' }))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    await Promise.all(sockets.map(closed))
    await quick.close()
  })
})

describe('a request with a truncated body', () => {
  it.each([
    ['by a sender that leaves', 'content-length: 90\r\n\r\n{', true],
    [
      'by a sender that leaves between chunks',
      'transfer-encoding: chunked\r\n\r\n1\r\n{\r\n',
      true,
    ],
    ['by an invalid chunk', 'transfer-encoding: chunked\r\n\r\n1\r\n{\r\nzz', false],
    ['by the time limit', 'content-length: 90\r\n\r\n{', false],
  ])(
    '(%s) is logged as a refusal at most once a minute, and not as an error',
    async (_how, text, leaves) => {
      const told: string[] = []
      const ahead = manualClock(NOW_MS)
      const door = await opened({
        clock: ahead,
        limits: { headersMs: 100, requestMs: leaves ? 10_000 : 150, connections: 300 },
        observer: { event: (name, fields) => void told.push(`${name} ${JSON.stringify(fields)}`) },
      })
      const port = Number(new URL(door.url).port)
      const cutOff = async (): Promise<void> => {
        const socket = dial(port, '127.0.0.1')
        socket.on('error', () => {})
        const [headers = '', start = ''] = text.split('\r\n\r\n', 2)
        socket.write(
          `POST /n/main HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\n${headers}\r\n\r\n`,
        )
        // The response `100 Continue` shows that the receiver reads the body.
        await once(socket, 'data')
        socket.write(start, () => leaves && socket.destroy())
        await closed(socket)
        // Once it has answered a later request, the receiver has noticed the end of this one.
        expect((await send(`${door.url}/n/main`, body, { secret: 's' })).status).toBe(200)
      }
      for (let at = 0; at < 3; at++) await cutOff()
      await ahead.advance(60_000)
      await cutOff()
      await door.close()
      expect(told.filter((line) => !line.startsWith('notification {'))).toEqual(
        [1, 3].map(
          (count) =>
            `notification refused {"account":"main","reason":"cut off","count":${count},"level":"warn"}`,
        ),
      )
    },
  )
})

async function closed(socket: Socket): Promise<void> {
  socket.resume()
  if (!socket.closed) await once(socket, 'close')
}
