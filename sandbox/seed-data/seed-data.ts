import { DAY_MS } from '../../src/core/time/time.ts'
import { hash } from '../base/random.ts'
import { HOUR_MS } from '../base/wire-time.ts'
import type { Readings } from '../readings/readings.ts'
import { busyHours, type Curve } from './calendar.ts'
import { type IdMaker, idMaker, oddIds, shortIds } from './ids.ts'
import type { Sizes } from './options.ts'
import { emptyState, type Kind, type ListKind, overlayOf, type SeedState } from './state.ts'

/** One account's people and activity. Only `state`, which contains the mutations, ever changes. */
export interface SeedData {
  readonly accountId: string
  readonly seed: number
  /** The sandbox's seed, from which the IDs of all accounts are made. */
  readonly idSeed: number
  readonly sizes: SeedDataSizes
  /** The instant for which the rows were laid out. The clock may have moved since. */
  readonly originMs: number
  readonly ids: SeedDataIds
  readonly sessionTimes: Curve
  readonly whiteboardTimes: Curve
  /** When the boards were made. Each board is older than its archives. */
  readonly boardTimes: Curve
  /** The size of the largest recording file; undefined: like real ones. */
  readonly recordingBytes: number | undefined
  state: SeedState
}

export interface SeedDataSizes extends Sizes {
  /** Boards, of which most have several archived sessions. */
  boards: number
  labels: number
  /** SMS consent policies, orders of ported numbers, SIP groups and trunks. */
  consents: number
  orders: number
  groups: number
  trunks: number
  /** Numbers that provider-exchange partners supply to this account and to others. */
  peering: number
  meetings: number
}

export interface SeedDataIds {
  users: IdMaker
  sessions: IdMaker
  liveSessions: IdMaker
  whiteboards: IdMaker
  numbers: IdMaker
  boards: IdMaker
  labels: IdMaker
  consents: IdMaker
  orders: IdMaker
  groups: IdMaker
  trunks: IdMaker
  meetings: IdMaker
  [kind: ListKind]: IdMaker
}

/** The rows of a list with its own file. */
export interface ListRows {
  kind: ListKind
  /** The default number of rows. */
  count: number
  /** The prefix of their IDs. */
  prefix: string
}

export function makeSeedData(options: {
  accountId: string
  ordinal: number
  seed: number
  sizes: Sizes
  originMs: number
  /** How far back the rows reach. */
  historyDays?: number | undefined
  recordingBytes?: number | undefined
  idForms: Readings['idForms']
  lists: readonly ListRows[]
}): SeedData {
  const { accountId, ordinal, sizes, originMs, historyDays = HISTORY_DAYS, lists } = options
  const seed = hash(options.seed, 0xc0, ordinal)
  const fromMs = originMs - historyDays * DAY_MS
  const untilMs = originMs - 4 * HOUR_MS
  const { boards = Math.ceil(sizes.whiteboards / 3) } = sizes
  const id = (kind: number, alphabet: 'base64' | 'base64url'): IdMaker =>
    idMaker(options.seed, kind, alphabet)
  const any = (ids: IdMaker): IdMaker => (options.idForms === 'odd' ? oddIds(ids) : ids)
  const short = (prefix: string): IdMaker => any(shortIds(options.seed, prefix))
  return {
    accountId,
    seed,
    idSeed: options.seed,
    sizes: {
      ...USUAL_SIZES,
      ...byKind(lists, ({ count }) => count),
      ...sizes,
      recordings: Math.min(sizes.recordings, sizes.sessions),
      boards,
    },
    originMs,
    ids: {
      users: any(id(1, 'base64url')),
      sessions: oddIds(id(2, 'base64')),
      liveSessions: oddIds(id(3, 'base64')),
      whiteboards: oddIds(id(4, 'base64')),
      numbers: any(id(5, 'base64url')),
      boards: short('wb'),
      labels: short('cl'),
      consents: short('cs'),
      orders: short('po'),
      groups: short('sg'),
      trunks: short('st'),
      meetings: short('mt'),
      ...byKind(lists, ({ prefix }) => short(prefix)),
    },
    sessionTimes: busyHours({ fromMs, untilMs, seed: seed + 1, rows: sizes.sessions }),
    whiteboardTimes: busyHours({ fromMs, untilMs, seed: seed + 2, rows: sizes.whiteboards }),
    boardTimes: boardTimes({ fromMs: fromMs - DAY_MS, untilMs, seed: seed + 3, rows: boards }),
    recordingBytes: options.recordingBytes,
    state: emptyState(),
  }
}

function byKind<T>(lists: readonly ListRows[], make: (rows: ListRows) => T): Record<ListKind, T> {
  return Object.fromEntries(lists.map((rows) => [rows.kind, make(rows)]))
}

/** Returns the number of rows of a kind, including added ones. */
export function rowCount({ sizes }: SeedData, state: SeedState, kind: Kind): number {
  return (sizes[kind] ?? 0) + overlayOf(state, kind).added
}

/** Returns the times when boards were made. The first is made when the history begins, before any archive. */
function boardTimes(options: Parameters<typeof busyHours>[0]): Curve {
  const { fromMs, rows } = options
  const later = busyHours(options)
  return {
    rows,
    startMs: (index) => (index === 0 ? fromMs : later.startMs(index)),
    firstAtOrAfter: (ms) => Math.max(later.firstAtOrAfter(ms), Math.min(rows, ms > fromMs ? 1 : 0)),
  }
}

/** The default days of history: fewer than the six months of a list, which are at least 181 days. */
const HISTORY_DAYS = 178

/** Numbers of rows that do not grow with the company. */
const USUAL_SIZES = {
  labels: 12,
  consents: 12,
  orders: 37,
  groups: 14,
  trunks: 11,
  peering: 140,
  meetings: 4,
}
