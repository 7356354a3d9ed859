import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { SandboxOptions } from '../../sandbox/seed-data/options.ts'
import { type Sandbox, startSandbox } from '../../sandbox/server/server.ts'
import { jobs } from '../../src/account/catalog.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import type { Observer } from '../../src/core/define/observer.ts'
import { type Clock, systemClock } from '../../src/core/time/clock.ts'
import { openReceiver, rereadUnknown } from '../../src/serve/work/open-receiver.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { testDatabase } from '../helpers/database.ts'
import { ofApp, TINY, WORLD_NOW } from '../helpers/world.ts'

export const NOW_MS = Date.parse(WORLD_NOW)
export const SECRETS = ['first-secret', 'second-secret'] as const

export interface Stored {
  account: string
  event: string
  event_at: string | null
  event_ts: string | null
  state: string
  subjects: string[]
  findings: string[]
  payload: { event?: unknown; payload?: Record<string, unknown> } | null
  body: string
}

/** A receiver as in `callsheet serve`, with its own database, and a sandbox that can notify it. */
export interface Stage {
  sandbox: Sandbox
  warehouse: Warehouse
  databaseUrl: string
  /** The endpoint of the n-th account. */
  address(ordinal?: number): string
  /** What the receiver logged. */
  logged: string[]
  /** Calls a control path of the sandbox. */
  ask<T = Record<string, unknown>>(path: string, body?: object): Promise<T>
  /** All stored notifications, in the order of arrival. */
  stored(): Promise<Stored[]>
  /** The stored states, sorted, as `THING KEY...: STATE`. */
  standing(account?: string): Promise<string[]>
  close(): Promise<void>
}

export async function openStage(
  options: SandboxOptions & { top?: object; account?: object } = {},
): Promise<Stage> {
  const { top = {}, account = {}, ...rest } = options
  const sandbox = await startSandbox({ nowMs: NOW_MS, sizes: TINY, ...rest })
  const database = await testDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-listen-'))
  const config = configFor(sandbox, folder, { top, account })
  const clock: Clock = { ...systemClock, now: () => sandbox.clock.now() }
  const warehouse = connect({ url: database.url, frozenNow: NOW_MS, poolSize: 4 })
  const logged: string[] = []
  const observer: Observer = {
    event: (name, fields) => void logged.push(`${name} ${JSON.stringify(fields)}`),
  }
  const wiring = { config, clock, observer }
  const frame = { wiring, warehouse, embedded: false, close: () => warehouse.close() }
  const listening = await openReceiver(wiring, [
    { accounts: config.accounts, warehouse: Promise.resolve(warehouse) },
  ])
  await rereadUnknown(frame, config.accounts)
  return {
    sandbox,
    warehouse,
    logged,
    databaseUrl: database.url,
    address: (ordinal = 0) => `${listening.url}/notifications/account-${ordinal}`,
    ask: (path, body) => askSandbox(sandbox, path, body),
    stored: async () => {
      const { rows } = await sql<Stored>`
        select account, event, event_at, event_ts, state, subjects, findings, payload,
          encode(body, 'escape') as body from callsheet.notifications order by id`.execute(
        warehouse.db,
      )
      return rows
    },
    standing: (name = 'account-0') => standingOf(warehouse, name),
    async close() {
      await listening.close()
      await warehouse.close()
      await sandbox.close()
      await database.drop()
      rmSync(folder, { recursive: true })
    },
  }
}

async function standingOf(warehouse: Warehouse, account: string): Promise<string[]> {
  const { rows } = await sql<{ thing: string; key: string[]; state: string }>`
    select thing, key, state from callsheet.event_states where account = ${account}`.execute(
    warehouse.db,
  )
  return rows.map(spell).toSorted()
}

export function spell({
  thing,
  key,
  state,
}: {
  thing: string
  key: readonly string[]
  state: string
}) {
  return `${[thing, ...key].join(' ')}: ${state}`
}

async function askSandbox<T>({ url }: Sandbox, path: string, body?: object): Promise<T> {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const response = await fetch(`${url}/__sandbox/${path}`, init)
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}

export interface Sending {
  secret?: string
  /** The signed time, in epoch milliseconds. */
  atMs?: number
  headers?: Record<string, string>
}

/** The headers of a request signed as `docs/readings.md` describes; `headers` override them. */
export function signed(body: string | Uint8Array, { secret, atMs, headers }: Sending = {}) {
  const timestamp = String(Math.floor((atMs ?? NOW_MS) / 1000))
  const mac = createHmac('sha256', secret ?? SECRETS[0])
    .update(`v0:${timestamp}:`)
    .update(body)
  return {
    'content-type': 'application/json',
    'x-svc-request-timestamp': timestamp,
    'x-svc-signature': `v0=${mac.digest('hex')}`,
    ...headers,
  }
}

/** Sends a signed body, and returns the status and the text of the answer. */
export async function send(
  address: string,
  body: object | string | Uint8Array<ArrayBuffer>,
  sending: Sending = {},
): Promise<{ status: number; text: string }> {
  const bytes = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
  const response = await fetch(address, {
    method: 'POST',
    headers: signed(bytes, sending),
    body: bytes,
  })
  return { status: response.status, text: await response.text() }
}

function configFor(
  sandbox: Sandbox,
  folder: string,
  { top, account }: { top: object; account: object },
) {
  const path = join(folder, 'config.yaml')
  const accounts = sandbox.credentials.map((_app, ordinal) => ({
    ...ofApp(sandbox, ordinal),
    notificationSecrets: ordinal === 0 ? SECRETS : [`secret-of-${ordinal}`],
    ...account,
  }))
  const notifications = { port: 0 }
  writeFileSync(path, JSON.stringify({ stateDirectory: folder, accounts, notifications, ...top }))
  return loadConfig({ path, jobs, environment: {} }).config
}
