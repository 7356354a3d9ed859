import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { type Clock, frozenClock, systemClock } from '../core/clock.ts'
import { companyOf, mutate } from './admin.ts'
import { answers, operations } from './answers.ts'
import { makeApp } from './app.ts'
import { makeDoor } from './auth.ts'
import { type Company, makeCompany } from './company.ts'
import type { Context } from './context.ts'
import { makeFaults } from './faults.ts'
import { makeLimiter } from './limiter.ts'
import * as settings from './options.ts'
import type { Changes, MutateOptions } from './mutate.ts'
import { pageTokens } from './page-tokens.ts'
import { openStateFile } from './state-file.ts'
import { emptyStats, type Stats } from './stats.ts'
import { type TruthRow, truthOf } from './truth.ts'

export interface Sandbox {
  /** The origin; the admin endpoints are under `/__sandbox/`. */
  url: string
  /** `{base_url}` of the documents, ending in `/v2`. */
  baseUrl: string
  /** `{auth_url}` of the documents. */
  authUrl: string
  clock: Clock
  advance(ms: number): void
  credentials: readonly settings.Credentials[]
  quotas: settings.LabelQuotas
  habits: settings.Habits
  stats(): Stats
  /** Changes the company of an account; answers with what every stream must show of it. */
  mutate(options?: MutateOptions & { account?: string }): Changes
  /** What the warehouse must hold of a stream now; of the first account when none is named. */
  truth(stream: string, account?: string): AsyncIterable<TruthRow>
  close(): Promise<void>
}

/** The simulated service on a loopback port of this process. */
export async function startSandbox(options: settings.SandboxOptions = {}): Promise<Sandbox> {
  let respond: (request: Request, env: never) => Response | Promise<Response> = () =>
    new Response(null, { status: 503 })
  const server = createAdaptorServer({
    fetch: (request, env) => respond(request, env as never),
  }) as Server
  server.keepAliveTimeout = 60_000
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  const context = makeContext(options, url)
  const app = makeApp(context, operations, answers)
  respond = (request, env) => app.fetch(request, env)
  return {
    url,
    baseUrl: context.baseUrl,
    authUrl: url,
    clock: context.clock,
    advance: (ms) => {
      context.advance(ms)
    },
    credentials: context.apps,
    quotas: context.quotas,
    habits: context.habits,
    stats: () => structuredClone(context.stats),
    mutate: (asked = {}) => mutate(context, asked),
    truth: (stream, account) =>
      eachOf(truthOf(companyOf(context, account), stream, context.clock.now())),
    close: () => closeServer(server),
  }
}

function makeContext(options: settings.SandboxOptions, url: string): Context {
  const seed = options.seed ?? 1
  const { clock, advance } = movableClock(
    options.clock ?? (options.nowMs === undefined ? systemClock : frozenClock(options.nowMs)),
  )
  const habits = settings.drawHabits(seed, options.habits ?? {})
  const quotas = options.quotas ?? settings.LAB_QUOTAS
  const apps = (options.accounts ?? [{}]).map(settings.completeCredentials)
  const stats = emptyStats()
  const { companies, saveState } = makeCompanies(options, { seed, apps, nowMs: clock.now() })
  return {
    seed,
    clock,
    advance,
    apps,
    companies,
    habits,
    quotas,
    stats,
    tokens: pageTokens(seed),
    door: makeDoor({ apps, seed, habits, stats, apiUrl: url, now: clock.now }),
    limiter: makeLimiter({ quotas, kind: habits.limiter, now: clock.now, elapsed: clock.elapsed }),
    faults: makeFaults(seed),
    baseUrl: `${url}/v2`,
    saveState,
  }
}

function makeCompanies(
  options: settings.SandboxOptions,
  own: { seed: number; apps: readonly settings.Credentials[]; nowMs: number },
): { companies: Map<string, Company>; saveState(): void } {
  const sizes = { ...settings.DEFAULT_SIZES, ...options.sizes }
  const { seed, apps, nowMs } = own
  const file =
    options.stateFile === undefined ? undefined : openStateFile(options.stateFile, { seed, sizes })
  const originMs = file?.originMs ?? Math.floor(nowMs / 1000) * 1000
  const companies = new Map<string, Company>()
  for (const [ordinal, { accountId }] of apps.entries()) {
    if (companies.has(accountId)) continue
    const company = makeCompany({ accountId, ordinal, seed, sizes, originMs })
    if (file !== undefined) company.state = file.restore(accountId)
    companies.set(accountId, company)
  }
  return { companies, saveState: () => file?.save(companies.values()) }
}

/** The wall time can be moved on; elapsed time cannot, since the limiter measures by it. */
function movableClock(base: Clock): { clock: Clock; advance(ms: number): void } {
  let movedMs = 0
  return {
    clock: { now: () => base.now() + movedMs, elapsed: base.elapsed, sleep: base.sleep },
    advance(ms) {
      movedMs += ms
    },
  }
}

async function* eachOf<T>(rows: Iterable<T>): AsyncGenerator<T> {
  for (const row of rows) yield await Promise.resolve(row)
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
