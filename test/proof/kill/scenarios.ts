import type { FaultRule } from '../../../sandbox/protocol/faults.ts'
import { KILLED_JOBS, LANE_JOBS } from '../lane-jobs.ts'
import type { Stage } from '../stage.ts'

/** One kind of run that is killed at its hits. */
export interface Scenario {
  name: string
  jobs: readonly string[]
  /** Of these points a hit is killed whatever the draw: of all that it comes to, or of the named. */
  names: 'all' | readonly string[]
  /** What goes wrong at the service meanwhile, the same in each case. */
  faults?: readonly FaultRule[]
  /** Streams whose table is not yet the truth, even undisturbed. */
  notYet?: readonly string[]
  publishes?: boolean
  /** It reads details, settings or boards, and besides only what lists them. */
  further?: boolean
}

/** Scenarios that start from the same tables, after the source has moved on. */
export interface Phase {
  name: string
  prepare(stage: Stage): void
  scenarios: readonly Scenario[]
}

export const SIZES = {
  users: 40,
  sessions: 24,
  whiteboards: 4,
  activities: 12,
  recordings: 8,
  numbers: 20,
  boards: 6,
  labels: 4,
  consents: 4,
  orders: 6,
  groups: 5,
  trunks: 5,
  peering: 12,
  'list:storage_locations': 4,
}

const ALONE = new Set(LANE_JOBS.map(({ name }) => name))
const ALL = KILLED_JOBS.map(({ name }) => name)

/** Details are read by what lists them, and are killed with it. */
const TOGETHER: readonly (readonly string[])[] = [
  ['users', 'user-details'],
  ['phone-numbers', 'number-settings', 'number-details'],
  ['whiteboard-archives'],
  ['whiteboards'],
  ['session-reports'],
  ['recordings', 'recording-details'],
]
const each = (phase: string, more: Partial<Scenario> = {}): Scenario[] =>
  TOGETHER.map((together) => {
    const name = together.join(' and ')
    return {
      name: `${phase}, ${name}`,
      jobs: together,
      names: NAMED.includes(name) ? 'all' : [],
      further: together.some((job) => !ALONE.has(job)),
      ...more,
    }
  })

/** What only files come to. */
export const FILE_POINTS: readonly string[] = [
  'download:before',
  'download:after',
  'draft:opened',
  'draft:written',
  'draft:synced',
  'draft:renamed',
  'store:flushed',
  'files:entering',
  'files:entered',
]

/** Between them they come to every other name that a sync has. */
const NAMED: readonly string[] = ['users and user-details', 'session-reports']

/** The last session was shown and is no more: a suspect until it is missed for the second time. */
const CANDIDATE = ['session_reports']

export const PHASES: readonly Phase[] = [
  {
    name: 'first load',
    prepare: () => undefined,
    scenarios: [{ name: 'first load', jobs: ALL, names: [] }, ...each('first load')],
  },
  {
    name: 'changes',
    prepare(stage) {
      stage.sandbox.advance(TWO_HOURS_MS)
      stage.sandbox.mutate({ scale: 60 })
      const last = SIZES.sessions - 1
      stage.sandbox.mutate({ ops: [{ kind: 'sessions', action: 'remove', index: last }] })
    },
    scenarios: [
      { name: 'changes', jobs: ALL, names: [], notYet: CANDIDATE },
      ...each('changes', { notYet: CANDIDATE }),
      {
        name: 'changes, refused for their rate',
        jobs: ['users'],
        names: ['label:holding', 'label:held'],
        faults: [{ kind: 'rate-limited', count: 2, after: 1 }],
      },
      {
        name: 'changes, a list that comes empty',
        jobs: ['phone-numbers'],
        names: ['guard:before', 'guard:after', 'run:closing', 'commit:after'],
        faults: [{ kind: 'empty-list', operation: 'phone_numbers.list' }],
        notYet: ['phone_numbers', 'phone_number_assignments'],
      },
    ],
  },
  {
    name: 'second readings',
    prepare: (stage) => stage.sandbox.advance(TWO_HOURS_MS),
    scenarios: [
      { name: 'second readings', jobs: ALL, names: [] },
      { name: 'second readings, session-reports', jobs: ['session-reports'], names: [] },
    ],
  },
  {
    name: 'reports',
    prepare: () => undefined,
    scenarios: [{ name: 'reports', jobs: [], names: 'all', publishes: true }],
  },
]

const TWO_HOURS_MS = 2 * 3_600_000
