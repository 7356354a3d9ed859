import { createHash, timingSafeEqual } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { secureHeaders } from 'hono/secure-headers'
import type { Observer } from '../core/declare/observer.ts'
import { type Address, type Listening, serveApp } from './listen.ts'

export interface StatusServerOptions extends Address {
  /** Whoever asks for more than `/livez` and `/readyz` must show it; undefined admits everybody. */
  token: string | undefined
  observer: Observer
  /** False once the process hangs, so that what watches over it should restart it. */
  isAlive(): boolean
  /** Why it cannot work now; undefined while it can. */
  notReady(): Promise<string | undefined>
}

/** Serves health and status at an address of this machine. It reads only, and shows no secret. */
export async function serveStatus(options: StatusServerOptions): Promise<Listening> {
  return await serveApp(makeStatusApp(options), options)
}

function makeStatusApp(options: StatusServerOptions): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>()
  app.use(secureHeaders({ contentSecurityPolicy: { defaultSrc: ["'none'"] } }))
  app.get('/livez', (http) =>
    options.isAlive() ? http.text('alive\n') : http.text('the schedule hangs\n', 503),
  )
  app.get('/readyz', async (http) => {
    const reason = await options.notReady()
    return reason === undefined ? http.text('ready\n') : http.text(`${reason}\n`, 503)
  })
  app.use(async (http, next) => {
    const { token } = options
    if (token === undefined || holds(token, http.req.header('authorization'))) return await next()
    return http.text('a token is needed\n', 401, { 'www-authenticate': 'Bearer' })
  })
  app.notFound((http) => http.text('not found\n', 404))
  app.onError((error, http) => {
    options.observer.event('status failed', { code: error.name })
    return http.text('failed\n', 500)
  })
  return app
}

/** Compares digests, because the comparison must not tell how much of a guess is right. */
function holds(token: string, header = ''): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(`Bearer ${token}`), digest(header))
}
