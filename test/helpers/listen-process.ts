import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { silentObserver } from '../../src/core/define/observer.ts'
import { listenAtPoints } from '../../src/core/kill-point.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import { listen } from '../../src/serve/notifications/notifications.ts'
import { receiveNotification } from '../../src/serve/notifications/receive-notification.ts'
import { connect } from '../../src/warehouse/connect.ts'

export interface ListenOrder {
  databaseUrl: string
  account: string
  secret: string
  nowMs: number
  /** The default is a free port. */
  port?: number
  /** Kills the process with SIGKILL at this failpoint, the n-th time it is reached. */
  killAt?: { point: string; hit: number }
}

/** Starts a receiver as a separate process. Resolves with its origin when it listens. */
export async function listenInProcess(
  order: ListenOrder,
): Promise<{ child: ChildProcess; url: string; ended: Promise<unknown> }> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  const [said] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  return { child, url: said.trim(), ended }
}

async function work(order: ListenOrder): Promise<void> {
  const { databaseUrl, account, secret, nowMs, port = 0, killAt } = order
  const warehouse = connect({ url: databaseUrl, frozenNow: nowMs, poolSize: 4 })
  const deps = { warehouse, clock: { ...systemClock, now: () => nowMs }, observer: silentObserver }
  const receiving = { account, accountId: null, clientId: null, secret }
  const { url } = await listen({
    setting: 'notifications',
    ...deps,
    host: '127.0.0.1',
    port,
    path: '/notifications',
    maxBodyBytes: 2 ** 18,
    endpoints: [
      { account, secrets: [secret], receive: (body) => receiveNotification(deps, receiving, body) },
    ],
  })
  let hits = 0
  listenAtPoints((name) => {
    if (name === killAt?.point && ++hits === killAt.hit) process.kill(process.pid, 'SIGKILL')
    return undefined
  })
  process.stdout.write(`${url}\n`)
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await work(JSON.parse(process.argv[2] ?? '{}') as ListenOrder)
