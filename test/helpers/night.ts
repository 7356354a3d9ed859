import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, connect as dial, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { SandboxOptions } from '../../sandbox/seed-data/options.ts'
import { startSandbox } from '../../sandbox/server/server.ts'
import { catalog } from '../../src/account/catalog.ts'
import { serviceDeps } from '../../src/cli/serve.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { serve } from '../../src/serve/work/serve.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { NO_REPORTS } from '../cli/served.ts'
import { configuration, secretsOf } from '../cli/workbench.ts'
import { startHookServer } from '../serve/alerts/hook-server.ts'
import { testDatabase } from './database.ts'
import { freePort } from './free-port.ts'
import { dispatcherRests, nightClock, type UnderWay } from './night-clock.ts'
import { TINY } from './world.ts'

const HOUR_MS = 3_600_000

/** `callsheet serve` over nights of virtual time, with a real service, database and alert receiver. */
export type Night = Awaited<ReturnType<typeof openNight>>

export interface NightOptions extends SandboxOptions {
  /** Lines of the configuration. By default all jobs are enabled, and no report. */
  top?: readonly string[]
  /** Lines of the account that replace the usual ones. */
  account?: readonly string[]
}

export async function openNight({ top = [], account = [], ...options }: NightOptions = {}) {
  const startMs = Date.parse('2026-07-08T18:00:00Z')
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-night-'))
  const database = await testDatabase()
  const sandbox = await startSandbox({ sizes: TINY, nowMs: startMs, ...options })
  const hook = await startHookServer()
  const direct = connect({ url: database.url, poolSize: 2 })
  await followClock(direct.db, startMs)
  const door = await openDoor(database.url)
  let sandboxMs = startMs
  const clock = nightClock(startMs, async (nowMs) => {
    sandbox.advance(nowMs - sandboxMs)
    sandboxMs = nowMs
    await sql`select setval('callsheet.virtual_ms', ${nowMs})`.execute(direct.db)
  })
  const path = join(folder, 'config.yaml')
  const usual = [
    `stateDirectory: ${folder}`,
    'serve: {port: 0}',
    NO_REPORTS,
    'alerts: {webhook: {url: env:HOOK, form: json}}',
  ]
  writeFileSync(path, configuration(sandbox, account, [...usual, ...top]))
  let secret = 'client-secret-1'
  let running: Running | undefined
  const night = {
    clock,
    door,
    sandbox,
    db: direct.db,
    folder,
    url: () => running?.url() ?? '',
    texts: () => hook.taken.map(({ body }) => (JSON.parse(body) as { text: string }).text),
    alerts: () => hook.taken.flatMap(({ body }) => (JSON.parse(body) as { alerts: Told[] }).alerts),
    /** Sets the secret of the account's app in the configuration, from the next start on. */
    setSecret: (to: string) => void (secret = to),
    start() {
      const environment = { ...secretsOf(door.url), SECRET: secret, HOOK: hook.url }
      running = startService(clock, loadConfig({ path, ...catalog, environment }))
    },
    async stop() {
      await running?.stop()
      running = undefined
    },
    async hours(count: number) {
      await clock.pass(count * HOUR_MS, underWay(running, door.isOpen(), direct.db))
    },
    async close() {
      await night.stop()
      await direct.close()
      await door.close()
      await hook.close()
      await sandbox.close()
      await database.drop()
      rmSync(folder, { recursive: true })
    },
  }
  return night
}

export interface Told {
  event: string
  code: string
  subject: string
  level: string
  sentence: string
  todo: string | null
}

interface Running {
  settled(): boolean
  url(): string
  stop(): Promise<void>
}

/** Starts the service in this process, and tracks its running work. */
function startService(
  clock: ReturnType<typeof nightClock>,
  loaded: ReturnType<typeof loadConfig>,
): Running {
  const stop = new AbortController()
  let atWork = 0
  let awake = 0
  // True until the first query of the database: a slow start does not mean that it is unavailable.
  let opening = true
  let address = ''
  const resting = dispatcherRests(clock)
  const observer = {
    event(name: string, fields: object = {}) {
      if (name === 'job started') atWork++
      if (JOB_ENDS.has(name)) atWork--
      if (name === 'service started') awake += 2
      if (name === 'service started' || name === 'waiting for the database') opening = false
      if (name === 'serving') address = String((fields as { url: unknown }).url)
    },
  }
  /** Only the health watch, the database watch and the machine's own record sleep for minutes. */
  const watching: typeof clock = {
    ...clock,
    alarm: resting.alarm,
    async sleep(ms, signal) {
      if (ms < 60_000) return await clock.sleep(ms, signal)
      awake--
      try {
        await clock.sleep(ms, signal)
      } finally {
        awake++
      }
    },
  }
  const ended = serviceDeps({
    output: { terminal: false, line() {}, table() {}, note() {}, result() {} },
    clock: watching,
    signal: stop.signal,
    verbose: false,
    loadConfig: async () => await Promise.resolve(loaded),
    observer: async () => await Promise.resolve(observer),
  }).then((deps) => serve(deps, {}))
  awake++
  return {
    settled: () => atWork <= 0 && awake <= 0 && !opening && resting.isAtRest(),
    url: () => address,
    async stop() {
      stop.abort(new Error('the machine goes down'))
      await ended.catch(() => {})
    },
  }
}

const JOB_ENDS = new Set(['job ended', 'job failed', 'job stopped'])

/** Makes the database use the night's clock, in a sequence: all connections see its value at once. */
async function followClock(db: ReturnType<typeof connect>['db'], startMs: number): Promise<void> {
  await sql`create sequence callsheet.virtual_ms`.execute(db)
  await sql`select setval('callsheet.virtual_ms', ${startMs})`.execute(db)
  await sql`create or replace function callsheet.clock() returns timestamptz language sql volatile as
    $$ select to_timestamp(last_value / 1000.0) from callsheet.virtual_ms $$`.execute(db)
}

/** The queue uses real time, so jobs that a machine could take count as running work. */
function underWay(
  running: Running | undefined,
  isReachable: boolean,
  db: Warehouse['db'],
): UnderWay {
  return {
    settled: () => running?.settled() ?? true,
    async drained() {
      if (running === undefined || !isReachable) return true
      const { rows } = await sql`
        select from callsheet_queue.job where state < 'completed' limit 1`.execute(db)
      return rows.length === 0
    },
  }
}

/** Opens a proxy to the database that can be closed, with all of its connections, and opened again. */
async function openDoor(databaseUrl: string) {
  const target = new URL(databaseUrl)
  const port = await freePort()
  const sockets = new Set<Socket>()
  const listen = async () => {
    const server = createServer((client) => {
      const inner = dial({ host: target.hostname, port: Number(target.port) })
      client.pipe(inner).pipe(client)
      for (const one of [client, inner]) {
        sockets.add(one)
        one.on('error', () => one.destroy())
        one.on('close', () => sockets.delete(one))
      }
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return server
  }
  let server: Awaited<ReturnType<typeof listen>> | undefined = await listen()
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  const door = {
    url: url.href,
    async shut() {
      server?.close()
      server = undefined
      for (const socket of sockets) socket.destroy()
      await Promise.resolve()
    },
    async open() {
      server ??= await listen()
    },
    isOpen: () => server !== undefined,
    close: () => door.shut(),
  }
  return door
}
