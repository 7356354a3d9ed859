import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { openReceiver } from '../../src/cli/actions/listen-for-notifications.ts'
import { jobs } from '../../src/cli/catalog.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { systemClock } from '../../src/core/clock.ts'
import { silentObserver } from '../../src/core/observer.ts'
import { listenAtPoints, type PointName } from '../../src/core/point.ts'
import { connect } from '../../src/warehouse/connect.ts'

export interface ListenOrder {
  configFile: string
  databaseUrl: string
  nowMs: number
  /** A free one where none is given. */
  port?: number
  /** SIGKILLs itself when it comes there for the n-th time. */
  killAt?: { point: PointName; hit: number }
}

/** A receiver as a process of its own; answers its origin once it listens. */
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

async function work({ configFile, databaseUrl, nowMs, port, killAt }: ListenOrder): Promise<void> {
  const { config } = loadConfig({ path: configFile, jobs, environment: {} })
  if (port !== undefined) config.notifications.port = port
  const warehouse = connect({ url: databaseUrl, frozenNow: nowMs, poolSize: 4 })
  const clock = { ...systemClock, now: () => nowMs }
  const wiring = { config, clock, observer: silentObserver }
  const frame = { wiring, warehouse, embedded: false, close: () => warehouse.close() }
  const { url } = await openReceiver(frame, config.accounts)
  let hits = 0
  listenAtPoints((name) => {
    if (name === killAt?.point && ++hits === killAt.hit) process.kill(process.pid, 'SIGKILL')
    return undefined
  })
  process.stdout.write(`${url}\n`)
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await work(JSON.parse(process.argv[2] ?? '{}') as ListenOrder)
