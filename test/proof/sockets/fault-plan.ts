import { randomFrom } from '../../../sandbox/base/random.ts'

/** What may go wrong between us and the service. */
export const HTTP_FAULTS = [
  'reset before headers',
  'reset in the body',
  'cut off, no length',
  'cut off, gzip',
  'stall before headers',
  'stall past the limit',
  'drip',
  'garbage after JSON',
  'not JSON',
  'HTML',
  '204',
  'empty body',
  'error in a 200',
  '500',
  '503 with Retry-After',
  '429 in seconds',
  '429 as a date',
  '429 with nonsense',
  'invalid token',
  'page token refused',
  'token server fails',
] as const
export type HttpFault = (typeof HTTP_FAULTS)[number]

/** What may go wrong at the database, done by a connection of its own. */
export const DATABASE_FAULTS = [
  'backend terminated',
  'deadlock',
  'lock timeout',
  'read-only',
  'too many connections',
] as const
export type DatabaseFault = (typeof DATABASE_FAULTS)[number]

export interface FaultPlan {
  random: () => number
  /** Probability of each enabled fault at each request. */
  http: ReadonlyMap<HttpFault, number>
  /** The enabled ones, in the order in which they are done, over and over. */
  database: readonly DatabaseFault[]
}

/**
 * A pure function of seed and round. Each fault is on in one of a seed's two rounds (which one is drawn), so
 * that none is left out by chance. In every fifth round all come four times.
 */
export function planFaults(seed: number, round: 0 | 1): FaultPlan {
  const drawn = randomFrom(seed)
  const random = randomFrom(seed * 2 + round)
  const on = (): boolean => (drawn() < 0.5 ? 0 : 1) === round
  const often = random() < 0.2 ? 4 : 1
  const http = HTTP_FAULTS.filter(on).map((fault) => [fault, RATES[fault] * often] as const)
  const database = DATABASE_FAULTS.filter(on)
    .map((fault) => ({ fault, place: random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ fault }) => fault)
  return { random, http: new Map(http), database }
}

const RATE = 0.012
const RATES: Readonly<Record<HttpFault, number>> = {
  ...(Object.fromEntries(HTTP_FAULTS.map((fault) => [fault, RATE])) as Record<HttpFault, number>),
  // Each waits for its limit in real time.
  'stall past the limit': 0.002,
  // Two within two minutes are taken for another program that uses the app.
  'invalid token': 0.004,
  // Of the few requests that there are.
  'page token refused': 0.2,
  'token server fails': 0.3,
}
