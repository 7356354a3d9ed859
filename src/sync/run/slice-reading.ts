import { meansDeleted, meansWithheld } from '../../core/define/answer-meaning.ts'
import type { Stream } from '../../core/define/stream.ts'
import { UnusableValueError } from '../../core/errors.ts'
import type { RefusedRow } from '../../core/records/row-batch.ts'
import type { PlannedSlice } from '../plan/plan-stream.ts'

/** What the records of a page, or of several, were found to be. */
export interface PageCounts {
  received: number
  fresh: number
  changed: number
  unchanged: number
  ignored: number
  /** Records about an erased person: shown, and not kept. */
  erased: number
  quarantined: number
  /** Of these, how many hold nothing at all: null, or an object without a field. */
  hollow: number
  /** Nested records that were quarantined, while the record around them was written. */
  nested: number
  /** Records outside the range that was asked for. */
  outside: number
  /** Of these, how many by more than a day, which no other time zone explains. */
  elsewhere: number
  /** Of a range over the end of a month, how many lie before that end, and from it on. */
  beforeEnd: number
  afterEnd: number
}

/** What the read of one slice came to, so far or in the end. */
export interface SliceReading extends Readonly<PageCounts> {
  readonly slice: PlannedSlice
  readonly state: 'complete' | 'failed' | 'not_allowed' | 'not_read'
  readonly requestedAtMs: number
  readonly pages: number
  /** Of the records received, how many repeated a key that the same pass had shown before. */
  readonly repeats: number
  /** Records that came twice with the same content, in two passes alike: the service has them twice. */
  readonly twins: number
  /** New or changed records that the database refused: they are quarantined. */
  readonly refused: number
  /** Nested lists in its records that are not believed. */
  readonly doubted: number
  /** Of the records that were new or changed, those whose rows stay as they are held. */
  readonly kept: number
  /** Of these, those with a value that is held and cannot be read any more. */
  readonly unreadable: number
  readonly serviceTotal: number | undefined
  /** The last page said that it is the last. */
  readonly saysEnd: boolean
  /** Of one that was read to its end: something the service said proves that nothing more follows. */
  readonly endProven: boolean
  /** The list is as long as the service shows at most, so some records may be missing from it. */
  readonly atBound: boolean
  readonly error: unknown
  /** Of one over the end of a month: the service does not answer such a range, or answers in part. */
  readonly refusedRange?: true
  /** Of one that was read to its end, what it showed. */
  readonly shown?: ShownRows | undefined
}

/** What of the rows of a slice its ledger says. */
export interface ShownRows {
  /** SHA-256 over their sorted content hashes. */
  digest: Buffer
  /** After it the warehouse held these rows of the slice and no others. */
  exact: boolean
}

export const noPageCounts = (): PageCounts => ({
  received: 0,
  fresh: 0,
  changed: 0,
  unchanged: 0,
  ignored: 0,
  erased: 0,
  quarantined: 0,
  hollow: 0,
  nested: 0,
  outside: 0,
  elsewhere: 0,
  beforeEnd: 0,
  afterEnd: 0,
})

export function addPageCounts(one: Readonly<PageCounts>, other: Readonly<PageCounts>): PageCounts {
  const sums = noPageCounts()
  for (const name of Object.keys(sums) as (keyof PageCounts)[]) sums[name] = one[name] + other[name]
  return sums
}

/** Of a slice of which nothing was read. */
export function newReading(slice: PlannedSlice): SliceReading {
  return {
    ...noPageCounts(),
    slice,
    state: 'not_read',
    requestedAtMs: 0,
    pages: 0,
    repeats: 0,
    twins: 0,
    refused: 0,
    doubted: 0,
    kept: 0,
    unreadable: 0,
    serviceTotal: undefined,
    saysEnd: false,
    endProven: false,
    atBound: false,
    error: undefined,
  }
}

/** Records that count as nothing else: shown before, or owned by another slice. */
export function withIgnored(reading: SliceReading): SliceReading {
  const { received, fresh, changed, unchanged, quarantined, refused, erased } = reading
  const judged = fresh + changed + unchanged + quarantined + refused + erased
  return { ...reading, ignored: Math.max(0, received - judged) }
}

/** The slice counted what the database refused as written; the ledger must not. */
export function withoutRefused(
  reading: SliceReading,
  refused: readonly RefusedRow[],
): SliceReading {
  const own = refused.filter(({ slice }) => slice === reading.slice.request.slice)
  if (own.length === 0) return reading
  const count = (isOne: (row: RefusedRow) => boolean): number => own.filter(isOne).length
  const kept = count((row) => row.kept !== undefined && row.kind !== 'late')
  const doubted = count(({ kind }) => kind === 'doubted')
  const counted = {
    ...reading,
    fresh: reading.fresh - count(({ kind }) => kind === 'fresh'),
    changed: reading.changed - count(({ kind }) => kind === 'known'),
    unchanged: reading.unchanged + kept,
    refused: reading.refused + count((row) => row.kept === undefined) - doubted,
    doubted: reading.doubted + doubted,
    kept: reading.kept + kept,
    unreadable: reading.unreadable + count((row) => row.kept === 'unreadable'),
  }
  const inBoth = own.some((row) => row.kept === 'in two lists')
  return inBoth ? { ...counted, state: 'failed', error: inTwoLists(reading) } : counted
}

/** The ledger counts what both reads did together: a row is new only once. */
export function carriedOver(first: SliceReading | undefined, again: SliceReading): SliceReading {
  if (first === undefined) return again
  const { fresh, changed, refused } = first
  const sums = SUMMED.map((name) => [name, again[name] + first[name]])
  // The second read finds unchanged what the first one wrote, or what the database refused of it.
  const unchanged = Math.max(0, again.unchanged - fresh - changed - refused)
  return { ...again, unchanged, ...Object.fromEntries(sums) }
}

const SUMMED = [
  ...(['fresh', 'changed', 'nested', 'refused'] as const),
  ...(['doubted', 'kept', 'unreadable'] as const),
]

function inTwoLists({ slice }: SliceReading): UnusableValueError {
  return new UnusableValueError('in_two_lists', {
    tried: `reading ${slice.request.slice}`,
    expected: 'each record in one list',
    came: 'records that another list shows with other content, in a place of its own',
    todo: 'ask the service why it shows them twice, and which is right',
  })
}

/**
 * The service does not show a list, and yet lists its parent: nobody knows what is in the list. Of a parent
 * in the trash it may rightly be gone.
 */
export function isAbsent({ operation }: Stream, { slice, state, error }: SliceReading): boolean {
  return state === 'complete' && slice.besides !== true && meansDeleted(operation, error)
}

/** The service lists its parent and says that the list, which was read before, is not for us any more. */
export function isTaken({ operation }: Stream, { slice, error }: SliceReading): boolean {
  const { history, besides } = slice
  return history?.listed === true && besides !== true && meansWithheld(operation, error)
}

/** Every record that the service showed is in the tables, so what was not shown is missing. */
export function isWhole({ state, quarantined, refused }: SliceReading): boolean {
  return state === 'complete' && quarantined + refused === 0
}
