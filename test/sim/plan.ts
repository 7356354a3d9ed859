import type { Readings } from '../../sandbox/readings/readings.ts'
import { jobs as allJobs } from '../../src/account/catalog.ts'
import { drawReadings } from './draw-readings.ts'
import { HTTP_FAULTS, type HttpFault } from './http-faults.ts'
import { drawMix, type Mix } from './mix.ts'
import { Random } from './random.ts'

export type DatabaseFaultClass =
  | 'db-lost-before'
  | 'db-lost-after'
  | 'db-commit-unknown'
  | 'db-terminated'
  | 'db-deadlock'
  | 'db-serialization'
  | 'db-lock-timeout'
  | 'db-read-only'
  | 'db-too-many'

/** The service's own: a page may come empty although more follow. */
type ServiceHabit = 'empty-page'

export type FaultClass = HttpFault | DatabaseFaultClass | ServiceHabit

/** A process that dies or sleeps when it has sent so many requests, to the service or the database. */
export interface Mishap {
  kind: 'crash' | 'crash-after' | 'pause'
  attempt: number
  at: number
  /** Of a pause, in virtual milliseconds. */
  lastsMs: number
}

export interface Plan {
  seed: number
  /** The chance of each class at each request where it can strike. */
  rates: Partial<Record<FaultClass, number>>
  mishaps: Mishap[]
  /** Edits at the source, by the request of an attempt after which they happen. */
  edits: { attempt: number; at: number }[]
  /** All edits fall on four users, who are renamed and go from one status to another and back. */
  hot?: true
  /** Syncs under faults before the healing. */
  attempts: number
  /** A second process that wants the account as soon as it can have it. */
  rival: boolean
  jobs: string[]
  quotas: 'wide' | 'narrow' | 'learn'
  skewMs: number
  /** Rows to a transaction, where a list is not to fit in one. */
  batchRows?: number
  /** Absent where a plan is as it was before there were details, settings and boards. */
  mix?: Mix
  /** How the service reads its documents, where it is not as usual. */
  readings?: Partial<Readings>
}

/** What a seed goes through. */
export function drawPlan(seed: number): Plan {
  const plan = drawLarge(seed)
  return { ...plan, ...drawMix(seed, plan), ...drawReadings(seed) }
}

/**
 * What a seed goes through of the large lists alone, which it always did. Each class of faults is in with an
 * even chance, some at four times the rate.
 */
export function drawLarge(seed: number): Plan {
  const draw = new Random(seed, 'plan')
  const attempts = draw.chance(0.35) ? 2 : 1
  const rates: Plan['rates'] = {}
  const share = draw.pick([0.04, 0.12, 0.25])
  for (const name of FIRST_CLASSES) {
    const rate = (BASE_RATES[name] ?? 0.006) * (draw.chance(0.2) ? 4 : 1)
    if (draw.chance(RARE.has(name) ? 0.05 : share)) rates[name] = rate
  }
  // Two classes come thick and fast, so that a seed meets them at more than one place.
  for (const name of [draw.pick(FIRST_CLASSES), draw.pick(FIRST_CLASSES)])
    if (!RARE.has(name)) rates[name] = (BASE_RATES[name] ?? 0.006) * 8
  const later = draw.fork('later classes')
  for (const name of LATER_CLASSES)
    if (later.chance(share)) rates[name] = 0.006 * later.between(1, 8)
  const mishaps: Mishap[] = []
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (draw.chance(0.45)) mishaps.push(mishap(draw, attempt))
  }
  const edits = Array.from({ length: draw.chance(0.3) ? 0 : draw.between(1, 14) }, () => ({
    attempt: draw.between(0, attempts - 1),
    at: draw.between(1, 500),
  }))
  return {
    seed,
    rates,
    mishaps,
    edits,
    attempts,
    rival: draw.chance(0.3),
    jobs: allJobs
      .map((job) => job.name)
      .filter((name) => !FURTHER.has(name))
      .filter((name) => name !== 'phone-numbers' || draw.chance(0.3))
      .filter((name) => name !== 'whiteboards' || withBoards(seed)),
    quotas: draw.pick(['wide', 'wide', 'narrow', 'learn']),
    skewMs: draw.chance(0.2) ? draw.between(-50_000, 50_000) : 0,
  }
}

/** A list for each of many boards takes as long as all else: few seeds have them, drawn beside the rest. */
function withBoards(seed: number): boolean {
  return new Random(seed, 'boards').chance(0.03)
}

/**
 * What ordinary seeds hardly meet. Odd ones: a process sleeps while a rival takes the account over. Even
 * ones: a storm of edits while the account is read for the second time, so that rows slip through between
 * two pages, or change between two requests.
 */
export function drawStorm(number: number): Plan {
  const draw = new Random(number, 'storm')
  const calm: Plan = {
    seed: STORM_SEEDS + number,
    rates: {},
    mishaps: [],
    edits: [],
    attempts: 1,
    rival: false,
    jobs: ['users', 'session-reports'],
    quotas: 'wide',
    skewMs: 0,
  }
  if (number % 2 === 1) {
    const sleep = { kind: 'pause', attempt: 0, at: draw.between(20, 90) } as const
    const mishaps = [{ ...sleep, lastsMs: draw.between(50, 900) * 1_000 }]
    return { ...calm, rival: true, jobs: ['session-reports'], mishaps }
  }
  const edits = Array.from({ length: draw.between(60, 160) }, () => ({
    attempt: 1,
    at: draw.between(1, 500),
  }))
  if (number % 4 === 0)
    return {
      ...calm,
      attempts: 2,
      edits,
      hot: true,
      jobs: ['users'],
      rates: { 'slow-chain': 0.15 },
    }
  return { ...calm, attempts: 2, edits, rates: draw.pick([{}, { 'detail-refused': 0.4 }]) }
}

function mishap(draw: Random, attempt: number): Mishap {
  const kind = draw.pick(['crash', 'crash-after', 'pause'] as const)
  return { kind, attempt, at: draw.between(1, 900), lastsMs: draw.between(40, 900) * 1_000 }
}

const DATABASE_FAULTS: readonly DatabaseFaultClass[] = [
  'db-lost-before',
  'db-lost-after',
  'db-commit-unknown',
  'db-terminated',
  'db-deadlock',
  'db-serialization',
  'db-lock-timeout',
  'db-read-only',
  'db-too-many',
]
export const FAULT_CLASSES: readonly FaultClass[] = [
  ...(Object.keys(HTTP_FAULTS) as HttpFault[]),
  ...DATABASE_FAULTS,
  'empty-page',
]

/** Drawn apart, so that a seed shows what it showed before there were these. */
const LATER_CLASSES: readonly FaultClass[] = ['other-record', 'files-left-out']
const FIRST_CLASSES = FAULT_CLASSES.filter((name) => !LATER_CLASSES.includes(name))

/** Where a class can strike only seldom, it strikes more readily. */
const BASE_RATES: Partial<Record<FaultClass, number>> = {
  'detail-refused': 0.05,
  'db-commit-unknown': 0.04,
  'db-too-many': 0.05,
  'page-token-refused': 0.02,
  'db-terminated': 0.002,
  'db-lost-before': 0.003,
  'db-lost-after': 0.003,
  'db-read-only': 0.002,
  drip: 0.003,
  'slow-chain': 0.01,
}
/** These end a run or a stream for now, so that little else is seen of a seed that has them. */
const RARE = new Set<FaultClass>(['daily', 'forbidden'])
const STORM_SEEDS = 900_000_000
const FURTHER = new Set(['number-settings', 'number-details', 'recording-details', 'user-details'])
