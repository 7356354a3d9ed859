import type { FileKind } from '../../src/core/define/file-source.ts'
import { type Clock, frozenClock, systemClock } from '../../src/core/time/clock.ts'
import { operations } from '../../src/resources/declared.ts'
import { makeAuthorizer } from '../access/auth.ts'
import { makeMailroom } from '../notices/mailroom.ts'
import { type FaultRule, makeFaults } from '../protocol/faults.ts'
import type { FileTruth } from '../protocol/file-bytes.ts'
import { makeLimiter } from '../protocol/limiter.ts'
import { pageTokens } from '../protocol/page-tokens.ts'
import { emptyStats, type Stats } from '../protocol/stats.ts'
import type { TruthRow } from '../protocol/stream-truth.ts'
import { ALL_ON } from '../protocol/switches.ts'
import { chooseReadings, type Readings } from '../readings/readings.ts'
import * as settings from '../seed-data/options.ts'
import { type Switches } from '../seed-data/options.ts'
import { makeSeedData, type SeedData } from '../seed-data/seed-data.ts'
import { suspendSome } from '../users/users.ts'
import { fileTruths } from '../whiteboards/file-truths.ts'
import { mutate } from './admin.ts'
import { answers } from './answers.ts'
import { makeApp } from './app.ts'
import type { SandboxContext } from './context.ts'
import { listRows, listScopes } from './lists.ts'
import type { MutatedStreams, MutateOptions } from './mutate.ts'
import { seedDataOf } from './seed-data-of.ts'
import { openStateFile } from './state-file.ts'
import { recordingsShownTwice, truthOf } from './truth.ts'

/** The simulated service without a socket: callers pass requests to `respond`. */
export interface SimulatedService {
  /** `{base_url}` of the documents, ending in `/v2`. */
  baseUrl: string
  /** `{auth_url}` of the documents. */
  authUrl: string
  /** The host and port of the operations. */
  apiHost: string
  /** The host and port of the files. */
  fileHost: string
  clock: Clock
  advance(ms: number): void
  credentials: readonly settings.Credentials[]
  quotas: settings.LabelQuotas
  habits: settings.Habits
  readings: Readings
  stats(): Stats
  faults(rules: readonly FaultRule[]): void
  /** Replaces, from now on, the switches that are off and the scopes of new tokens. */
  allow(what: { lacking: readonly (keyof Switches)[]; scopes: readonly string[] }): void
  /** Changes an account's company; returns the changes that every stream must show. */
  mutate(options?: MutateOptions & { account?: string }): MutatedStreams
  /** Returns the rows that the warehouse must contain for a stream now; default: the first account. */
  truth(stream: string, account?: string): Iterable<TruthRow>
  /** Returns all activity files, or all recording files outside the trash; default: the first account. */
  files(kind: FileKind, account?: string): Iterable<FileTruth>
  /** Returns the IDs of recordings that more than one list shows now. */
  recordingsShownTwice(): Iterable<string>
  /** Responds to a request. `env.incoming.url` is the path as it was sent: its encoding matters. */
  respond(request: Request, env: object): Response | Promise<Response>
  /** Stops notifying subscribers. */
  stop(): void
}

/** The configured address, and the addresses of the API and the files. */
interface Places {
  url: string
  apiUrl: string
  fileUrl: string
}

export function makeService(options: settings.SandboxOptions, places: Places): SimulatedService {
  const { url, apiUrl, fileUrl } = places
  const context = makeContext(options, places)
  const app = makeApp(context, operations, answers)
  return {
    baseUrl: context.baseUrl,
    authUrl: url,
    apiHost: new URL(apiUrl).host,
    fileHost: new URL(fileUrl).host,
    clock: context.clock,
    advance: (ms) => {
      context.advance(ms)
    },
    credentials: context.apps,
    quotas: context.quotas,
    habits: context.habits,
    readings: context.readings,
    stats: () => structuredClone(context.stats),
    faults: (rules) => context.faults.set(rules),
    allow: (what) => allow(context, what),
    mutate: (asked = {}) => mutate(context, asked),
    truth: (stream, account) =>
      truthOf(seedDataOf(context, account), stream, {
        nowMs: context.clock.now(),
        readings: context.readings,
      }),
    files: (kind, account) => fileTruths(seedDataOf(context, account), kind, context.clock.now()),
    recordingsShownTwice: () =>
      recordingsShownTwice(seedDataOf(context, undefined), context.clock.now()),
    respond: (request, env) => app.fetch(request, env),
    stop: () => context.mailroom.stop(),
  }
}

function allow(
  context: SandboxContext,
  { lacking, scopes }: Parameters<SimulatedService['allow']>[0],
): void {
  const off = Object.fromEntries(lacking.map((name) => [name, false]))
  context.switches = { ...ALL_ON, ...off }
  for (const app of context.apps) app.scopes = scopes
}

function makeContext(
  options: settings.SandboxOptions,
  { url, apiUrl, fileUrl }: Places,
): SandboxContext {
  const seed = options.seed ?? 1
  const { clock, advance } = movableClock(
    options.clock ?? (options.nowMs === undefined ? systemClock : frozenClock(options.nowMs)),
  )
  const habits = settings.drawHabits(seed, options.habits ?? {})
  const readings = chooseReadings(seed, options.readings ?? {})
  const quotas = options.quotas ?? settings.LAB_QUOTAS
  const scopes = [...settings.ALL_SCOPES, ...listScopes]
  const apps = (options.accounts ?? [{}]).map((given, ordinal) =>
    settings.completeCredentials({ scopes, ...given }, ordinal),
  )
  const stats = emptyStats()
  const { seedDataByAccount, saveState } = makeAllSeedData(options, {
    seed,
    apps,
    readings,
    nowMs: clock.now(),
  })
  return {
    seed,
    clock,
    advance,
    apps,
    seedDataByAccount,
    habits,
    readings,
    quotas,
    stats,
    switches: { ...ALL_ON, ...options.switches },
    tokens: pageTokens(seed, readings.pageTokens === 'number'),
    authorizer: makeAuthorizer({ apps, seed, habits, readings, stats, apiUrl, now: clock.now }),
    limiter: makeLimiter({ quotas, kind: habits.limiter, now: clock.now, elapsed: clock.elapsed }),
    faults: makeFaults(seed),
    mailroom: makeMailroom({ seed, clock, twice: options.toldTwice ?? 0.2, readings }),
    baseUrl: `${url}/v2`,
    apiUrl,
    fileUrl,
    saveState,
  }
}

function makeAllSeedData(
  options: settings.SandboxOptions,
  own: {
    seed: number
    apps: readonly settings.Credentials[]
    readings: Readings
    nowMs: number
  },
): { seedDataByAccount: Map<string, SeedData>; saveState(): void } {
  const sizes = { ...settings.DEFAULT_SIZES, ...options.sizes }
  const { seed, apps, nowMs, readings } = own
  const { historyDays, recordingBytes } = options
  const file =
    options.stateFile === undefined ? undefined : openStateFile(options.stateFile, { seed, sizes })
  const originMs = file?.originMs ?? Math.floor(nowMs / 1000) * 1000
  const seedDataByAccount = new Map<string, SeedData>()
  for (const [ordinal, { accountId }] of apps.entries()) {
    if (seedDataByAccount.has(accountId)) continue
    const layout = {
      sizes,
      originMs,
      historyDays,
      recordingBytes,
      idForms: readings.idForms,
      lists: listRows,
    }
    const seedData = makeSeedData({ accountId, ordinal, seed, ...layout })
    if (file !== undefined) seedData.state = file.restore(accountId)
    if (readings.moreStatuses === 'more') seedData.state = suspendSome(seedData)
    seedDataByAccount.set(accountId, seedData)
  }
  return { seedDataByAccount, saveState: () => file?.save(seedDataByAccount.values()) }
}

/** Returns a clock whose wall time can be advanced. Elapsed time cannot, because the limiter uses it. */
function movableClock(base: Clock): { clock: Clock; advance(ms: number): void } {
  let movedMs = 0
  return {
    clock: { ...base, now: () => base.now() + movedMs },
    advance(ms) {
      movedMs += ms
    },
  }
}
