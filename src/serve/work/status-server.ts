import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import type { Observer } from '../../core/define/observer.ts'
import { onlyReads, ownNames, safeHeaders, sandboxed, tokenNeeded } from '../doors.ts'
import type { StatusSources } from '../health/status-sources.ts'
import { type Address, type Listening, serveApp } from '../listen.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { messagePage } from '../page/layout.ts'
import { addPages } from '../page/pages.ts'

export interface StatusServerOptions extends Address {
  /** Only this machine reaches the address. */
  loopback: boolean
  /** Whoever asks for more than `/livez` and `/readyz` must show it; undefined admits everybody. */
  token: string | undefined
  observer: Observer
  /** False once the process hangs, so that what watches over it should restart it. */
  isAlive(): boolean
  /** Why it cannot work now; undefined while it can. */
  notReady(): Promise<string | undefined>
  /** What its pages and metrics show; undefined until the database was reached. */
  sources(): StatusSources | undefined
}

/** Serves health, metrics and pages at an address of this machine. It reads only, and shows no secret. */
export async function serveStatus(options: StatusServerOptions): Promise<Listening> {
  return await serveApp(makeStatusApp(options), { ...options, cutsOff: true })
}

function makeStatusApp(options: StatusServerOptions): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>()
  app.use('/reports/:id/:place', sandboxed)
  app.use(safeHeaders, onlyReads, ownNames(options.loopback))
  app.get('/livez', (http) =>
    options.isAlive() ? http.text('alive\n') : http.text('the schedule hangs\n', 503),
  )
  app.get('/readyz', async (http) => {
    const reason = await options.notReady()
    return reason === undefined ? http.text('ready\n') : http.text(`${reason}\n`, 503)
  })
  app.use(tokenNeeded(options.token), async (http, next) => {
    await next()
    http.res.headers.set('cache-control', 'no-store')
  })
  const metrics = createMetrics(options)
  app.get('/metrics', async (http) => {
    const { text, contentType } = await metrics()
    return http.body(text, 200, { 'content-type': contentType })
  })
  addPages(app, options.sources)
  app.notFound((http) => http.html(messagePage('Not found', 'There is no such page.'), 404))
  app.onError((error, http) => {
    options.observer.event('status failed', { code: error.name })
    const text =
      'This cannot be shown now: the database does not answer, or refused what was asked of it.'
    return http.html(messagePage('Not available', text), 503)
  })
  return app
}
