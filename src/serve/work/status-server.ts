import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import type { Wiring } from '../../account/wire.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import { isLoopbackHost } from '../../config/loopback.ts'
import type { CallsheetError } from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import { onlyReads, ownNames, safeHeaders, sandboxed, tokenNeeded } from '../doors.ts'
import { type DatabaseSources, joinSources } from '../health/joined-sources.ts'
import type { ReadShownHealth } from '../health/read-snapshot.ts'
import { openStatusSources, type StatusSources } from '../health/status-sources.ts'
import { type Listening, serveApp } from '../listen.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { messagePage } from '../page/layout.ts'
import { addPages } from '../page/pages.ts'
import type { Awake } from './watch-health.ts'

/** The state of a running service. */
export interface Vitals {
  /** Undefined until the database has been reached. */
  warehouse: Warehouse | undefined
  /** Why the database has not been reached yet. */
  away?: CallsheetError
  /** Whether the work on the database has started and not yet stopped. */
  started: boolean
  /** When the process last showed that it does not hang, as elapsed milliseconds. */
  beatMs: number
  awake: Awake
}

/** The accounts of one database, as the status server shows them. */
export interface ShownPlace {
  wiring: Wiring
  vitals: Vitals
  accounts: readonly AccountSettings[]
  readShownHealth: ReadShownHealth
}

/**
 * Serves `/livez`, `/readyz`, metrics and the status pages, all read-only and without secrets. All but the
 * first two require the token, if one is set.
 */
export async function openStatusServer(
  wiring: Wiring,
  shown: readonly ShownPlace[],
): Promise<Listening> {
  const { host, port } = wiring.config.serve
  const closed = new AbortController()
  const app = statusApp(wiring, shown, closed.signal)
  const listening = await serveApp(app, { setting: 'serve', host, port, cutsOff: true })
  const close = async (): Promise<void> => {
    closed.abort()
    await listening.close()
  }
  return { ...listening, close }
}

function statusApp(
  wiring: Wiring,
  shown: readonly ShownPlace[],
  signal: AbortSignal,
): Hono<{ Bindings: HttpBindings }> {
  const { clock, observer } = wiring
  const { host, token } = wiring.config.serve
  const databases = shown.map((place) => sourcesOf(place, signal))
  const sources = () => joinSources(databases)
  const all = shown.map(({ vitals }) => vitals)
  const app = new Hono<{ Bindings: HttpBindings }>()
  app.use('/accounts/:name/reports/:id/:place', sandboxed)
  app.use(safeHeaders, onlyReads, ownNames(isLoopbackHost(host)))
  app.get('/livez', (http) =>
    all.every((vitals) => isAlive(clock, vitals))
      ? http.text('alive\n')
      : http.text('the schedule hangs\n', 503),
  )
  app.get('/readyz', async (http) => {
    const reason = await whyNotReady(all)
    return reason === undefined ? http.text('ready\n') : http.text(`${reason}\n`, 503)
  })
  app.use(tokenNeeded(token?.reveal()), async (http, next) => {
    await next()
    http.res.headers.set('cache-control', 'no-store')
  })
  const metrics = createMetrics({ observer, sources, notReady: () => whyNotReady(all) })
  app.get('/metrics', async (http) => {
    const { text, contentType } = await metrics()
    return http.body(text, 200, { 'content-type': contentType })
  })
  addPages(app, sources)
  app.notFound((http) => http.html(messagePage('Not found', 'There is no such page.'), 404))
  app.onError((error, http) => {
    observer.event('status failed', { code: error.name })
    const text = 'The database does not answer or refused the query. Try again later.'
    return http.html(messagePage('Not available', text), 503)
  })
  return app
}

/** Opens the sources once the database has been reached. */
function sourcesOf(
  { wiring, vitals, accounts, readShownHealth }: ShownPlace,
  signal: AbortSignal,
): DatabaseSources {
  let opened: StatusSources | undefined
  return {
    accounts: accounts.map(({ name }) => name),
    sources() {
      const { warehouse } = vitals
      if (warehouse !== undefined)
        opened ??= openStatusSources({ warehouse, wiring }, accounts, { readShownHealth, signal })
      return opened
    },
  }
}

/** Returns false if the process hangs, so that its supervisor restarts it. */
function isAlive(clock: Clock, { beatMs }: Vitals): boolean {
  return clock.elapsed() - beatMs < LONGEST_SILENCE_MS
}

async function whyNotReady(all: readonly Vitals[]): Promise<string | undefined> {
  const reasons = await Promise.all(all.map(whyPlaceNotReady))
  return reasons.find((reason) => reason !== undefined)
}

async function whyPlaceNotReady({ warehouse, started }: Vitals): Promise<string | undefined> {
  if (warehouse === undefined) return 'waiting for the database'
  if (!started) return 'starting or stopping'
  return await warehouse.ping().then(
    () => undefined,
    () => 'the database does not answer',
  )
}

/** How long the dispatcher may be silent. It looks for due work every 15 seconds, even while jobs run. */
const LONGEST_SILENCE_MS = 120_000
