import { ALL_SCOPES, type Switches } from '../../sandbox/seed-data/options.ts'
import { operations } from '../../src/resources/declared.ts'
import type { Random } from './random.ts'

/** What the account is not allowed from a request of an attempt on, until the healing or for good. */
export interface Lack {
  what: LackName
  attempt: number
  at: number
  forGood: boolean
}

export type LackName = keyof typeof LACKS

interface Lacking {
  switches?: readonly (keyof Switches)[]
  /** Operations whose scope the app has not. */
  unscoped?: readonly string[]
  /** The streams that this shuts, each with what belongs to its rows. */
  shuts: readonly string[]
  /** The jobs that have them. */
  jobs: readonly string[]
  /** It leaves each job something to read, and every other list its detail call. */
  mayLast: boolean
}

/** By the sandbox's own reading of what its operations need, not by what the engine makes of a refusal. */
const LACKS = {
  'provider exchange': {
    switches: ['providerExchange'],
    shuts: ['peering_numbers', 'carrier_peering_numbers'],
    jobs: ['number-settings'],
    mayLast: true,
  },
  'phone license': {
    switches: ['phoneLicence'],
    shuts: ['sip_groups', 'ported_order_details'],
    jobs: ['number-settings', 'number-details'],
    mayLast: false,
  },
  'scope of trunks': {
    unscoped: ['sip_trunks.list'],
    shuts: ['sip_trunks'],
    jobs: ['number-settings'],
    mayLast: true,
  },
  'scope of policies': {
    unscoped: ['sms_consents.list', 'sms_consents.get', 'sms_consent_numbers.list'],
    shuts: ['sms_consents', 'sms_consent_numbers', 'sms_consent_details'],
    jobs: ['number-settings'],
    mayLast: true,
  },
  'scope of numbers': {
    unscoped: ['phone_numbers.get'],
    shuts: ['phone_number_details'],
    jobs: ['number-details'],
    mayLast: false,
  },
  'scope of a user': {
    unscoped: ['users.get'],
    shuts: ['user_details'],
    jobs: ['user-details'],
    mayLast: false,
  },
  'customer storage': {
    switches: ['customerStorage'],
    shuts: ['storage_locations', 'storage_location_details'],
    jobs: ['recording-details'],
    mayLast: true,
  },
  'commercial cluster': {
    switches: ['commercialCluster'],
    shuts: ['whiteboard_content', 'storage_locations', 'storage_location_details'],
    jobs: ['whiteboards', 'recording-details'],
    mayLast: true,
  },
  classification: {
    switches: ['classification'],
    shuts: ['classification_labels'],
    jobs: ['whiteboards'],
    mayLast: true,
  },
} as const satisfies Readonly<Record<string, Lacking>>

/** One thing that these jobs need, or nothing where they need none of it. */
export function drawLack(draw: Random, jobs: readonly string[], attempts: number): Lack[] {
  const names = (Object.keys(LACKS) as LackName[]).filter((name) =>
    LACKS[name].jobs.some((job) => jobs.includes(job)),
  )
  if (names.length === 0) return []
  const what = draw.pick(names)
  return [
    {
      what,
      attempt: draw.between(0, attempts - 1),
      at: draw.chance(0.5) ? 1 : draw.between(1, 400),
      forGood: draw.chance(0.5) && LACKS[what].mayLast,
    },
  ]
}

export function shutBy(lacks: readonly Lack[]): ReadonlySet<string> {
  return new Set(lacks.flatMap(({ what }) => LACKS[what].shuts))
}

/** What the service is told of what is lacking. */
export function lackingNow(lacks: readonly Lack[]): {
  lacking: readonly (keyof Switches)[]
  scopes: readonly string[]
} {
  const all: Lacking[] = lacks.map(({ what }) => LACKS[what])
  const unscoped = all.flatMap((lack) => lack.unscoped ?? [])
  return {
    lacking: all.flatMap(({ switches = [] }) => switches),
    scopes: unscoped.reduce(without, [...ALL_SCOPES]),
  }
}

/** Of a scope that opens several operations the narrow ones of the others are left. */
function without(scopes: string[], id: string): string[] {
  const narrow = new Set(operations.find((operation) => operation.id === id)?.granularScopes)
  const broad = new Set(operations.find((operation) => operation.id === id)?.scopes)
  const others = operations.filter(({ scopes: own }) => own.some((scope) => broad.has(scope)))
  const left = [
    ...scopes.filter((scope) => !broad.has(scope)),
    ...others.flatMap(({ granularScopes }) => granularScopes),
  ]
  return [...new Set(left)].filter((scope) => !narrow.has(scope))
}
