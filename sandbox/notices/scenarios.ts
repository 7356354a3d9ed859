import { hash } from '../base/random.ts'
import { isoSecond } from '../base/wire-time.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import { CALLER, userAt } from '../users/users.ts'
import { DESKS } from './desks.ts'
import type { Happening, Scenario } from './happening.ts'
import { ROOMS } from './rooms.ts'
import { VISITS } from './visits.ts'

const SCENARIOS: Readonly<Record<string, Scenario>> = { ...VISITS, ...DESKS, ...ROOMS }

/** All scenarios, in a fixed order. */
export const SCENARIO_NAMES: readonly string[] = Object.keys(SCENARIOS)

/** The forms in which the service gives the time of an event. */
export const TIMINGS = [
  'documented',
  'seconds',
  'digits',
  'date-time',
  'in-payload',
  'in-object',
  'none',
] as const
export type Timing = (typeof TIMINGS)[number]

/** The message as JSON text, and the state that it causes. */
export interface Notice {
  event: string
  body: string
  now?: Happening['now']
}

/** Plays a scenario as messages, the oldest first, a minute apart. */
export function playScenario(
  seedData: SeedData,
  { name, index, timing, nowMs }: { name: string; index: number; timing: Timing; nowMs: number },
): Notice[] {
  const scenario = SCENARIOS[name]
  if (scenario === undefined)
    throw new RangeError(`unknown scenario ${name}; choose one of ${SCENARIO_NAMES.join(', ')}`)
  const person = (at: number) => userAt(seedData, seedData.state, at % seedData.sizes.users)
  const h = hash(seedData.seed, 0xe0, index)
  const scene = { seedData, index, h, nowMs, host: person(h >>> 2), operator: person(CALLER) }
  const happenings = scenario(scene)
  return happenings.map((happening, at) => {
    const atMs = nowMs - (happenings.length - at) * 60_000
    return { ...enclose(seedData, { happening, atMs, timing }), ...so(happening) }
  })
}

/** Makes the message about a removed app. */
export function removalNotice(
  { accountId }: SeedData,
  removal: { userId: string; clientId: string; nowMs: number },
): Notice {
  const { userId, clientId, nowMs } = removal
  const event = 'app_deauthorized'
  const payload = {
    account_id: accountId,
    user_id: userId,
    signature: hash(1, 0xe0, nowMs).toString(16).padStart(64, '0'),
    deauthorization_time: new Date(nowMs).toISOString(),
    client_id: clientId,
  }
  return { event, body: JSON.stringify({ event, event_ts: nowMs, payload }) }
}

function so({ now }: Happening): { now?: Happening['now'] } {
  return now === undefined ? {} : { now }
}

function enclose(
  { accountId }: SeedData,
  { happening, atMs, timing }: { happening: Happening; atMs: number; timing: Timing },
): Notice {
  const { event, timed, operator, object } = happening
  const documented = timed === 'integer' ? atMs : isoSecond(atMs)
  const who = operator === undefined ? {} : { operator: operator.email, operator_id: operator.id }
  const inside = { account_id: accountId, ...who }
  const message = (time: object, payloadTime: object, objectTime: object) =>
    JSON.stringify({
      event,
      ...time,
      payload: { ...inside, ...payloadTime, object: { ...object, ...objectTime } },
    })
  const event_ts = WRITTEN[timing]?.(atMs) ?? documented
  const places = { 'in-payload': 1, 'in-object': 2, none: 3 } as Partial<Record<Timing, number>>
  const times = [{}, {}, {}]
    .with(0, {})
    .map((none, at) => (at === (places[timing] ?? 0) ? { event_ts } : none))
  return { event, body: message(times[0] ?? {}, times[1] ?? {}, times[2] ?? {}) }
}

const WRITTEN: Partial<Record<Timing, (atMs: number) => number | string>> = {
  seconds: (atMs) => Math.floor(atMs / 1000),
  digits: (atMs) => String(atMs),
  'date-time': (atMs) => isoSecond(atMs),
}
