import { meansDeleted, meansWithheld } from '../../core/define/answer-meaning.ts'
import type { Stream } from '../../core/define/stream.ts'
import { UnusableValueError } from '../../core/errors.ts'
import type { RefusedRow } from '../../core/records/row-batch.ts'
import type { PlannedSlice } from '../plan/plan-stream.ts'

/** The records of one or more pages, counted by classification. */
export interface PageCounts {
  received: number
  fresh: number
  changed: number
  unchanged: number
  ignored: number
  /** Records about an erased person: shown, but not stored. */
  erased: number
  quarantined: number
  /** Quarantined records without any content: null, or an object without fields. */
  hollow: number
  /** Nested records that were quarantined, while the record around them was written. */
  nested: number
  /** Records outside the requested range. */
  outside: number
  /** Records outside the part that the account keeps: shown, but not stored. */
  apart: number
  /** Records more than a day outside the requested range, which no time zone explains. */
  elsewhere: number
  /** For a range over a month's end: records before that end. */
  beforeEnd: number
  /** For a range over a month's end: records at or after that end. */
  afterEnd: number
}

/** The result of reading one slice, so far or in the end. */
export interface SliceReading extends Readonly<PageCounts> {
  readonly slice: PlannedSlice
  readonly state: 'complete' | 'failed' | 'not_allowed' | 'not_read'
  readonly requestedAtMs: number
  readonly pages: number
  /** Received records whose key the same pass had already shown. */
  readonly repeats: number
  /** Records that came twice with the same content in each of two passes: the service has them twice. */
  readonly twins: number
  /** New or changed records that the database refused: they are quarantined. */
  readonly refused: number
  /** Nested lists in the slice's records that the run doubts. */
  readonly doubted: number
  /** Records that were not written for a reason in `RefusedRow.kept`: their stored rows stay unchanged. */
  readonly kept: number
  /** Records of `kept` with an unreadable value where the stored row has a readable one. */
  readonly unreadable: number
  readonly serviceTotal: number | undefined
  /** The service marked the last page as the last one. */
  readonly saysEnd: boolean
  /** For a slice that was read to its end: the service's response proves that nothing follows. */
  readonly endProven: boolean
  /** The list has the maximum length that the service shows, so some records may be missing. */
  readonly atBound: boolean
  readonly error: unknown
  /** For a range over the end of a month: the service refuses it, or returns only a part. */
  readonly refusedRange?: true
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
  apart: 0,
  elsewhere: 0,
  beforeEnd: 0,
  afterEnd: 0,
})

export function addPageCounts(one: Readonly<PageCounts>, other: Readonly<PageCounts>): PageCounts {
  const sums = noPageCounts()
  for (const name of Object.keys(sums) as (keyof PageCounts)[]) sums[name] = one[name] + other[name]
  return sums
}

/** The reading of a slice before anything is read. */
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

/** Counts as ignored the records without another classification: shown before, or owned by another slice. */
export function withIgnored(reading: SliceReading): SliceReading {
  const { received, fresh, changed, unchanged, quarantined, refused, erased, apart } = reading
  const judged = fresh + changed + unchanged + quarantined + refused + erased + apart
  return { ...reading, ignored: Math.max(0, received - judged) }
}

/** Recounts rows that were not written: as `refused`, as `doubted`, or as `kept` and `unchanged`. */
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
  return inBoth ? { ...counted, state: 'failed', error: conflictingLists(reading) } : counted
}

/** Adds the counts of a first and a second read for the ledger, where a row is new only once. */
export function carriedOver(first: SliceReading | undefined, again: SliceReading): SliceReading {
  if (first === undefined) return again
  const { fresh, changed, refused } = first
  const sums = SUMMED.map((name) => [name, again[name] + first[name]])
  // The second read counts as unchanged the rows that the first wrote or that the database refused.
  const unchanged = Math.max(0, again.unchanged - fresh - changed - refused)
  return { ...again, unchanged, ...Object.fromEntries(sums) }
}

const SUMMED = [
  ...(['fresh', 'changed', 'nested', 'refused'] as const),
  ...(['doubted', 'kept', 'unreadable'] as const),
]

function conflictingLists({ slice }: SliceReading): UnusableValueError {
  return new UnusableValueError('conflicting_lists', {
    tried: `Reading ${slice.request.slice}`,
    came: 'some records of this list appear in another list with different content',
    todo: "contact the service's support and ask which list is right",
  })
}

/**
 * Whether the service lists the parent but not its list, whose content is then unknown. The list of a parent
 * in the trash may rightly be gone.
 */
export function isAbsent({ operation }: Stream, { slice, state, error }: SliceReading): boolean {
  return state === 'complete' && slice.besides !== true && meansDeleted(operation, error)
}

/** Whether the service lists the parent but now denies access to its list, which was read before. */
export function isTaken({ operation }: Stream, { slice, error }: SliceReading): boolean {
  const { history, besides } = slice
  return history?.listed === true && besides !== true && meansWithheld(operation, error)
}

/** Whether the slice was read to its end without an unusable record, so that rows not shown are missing. */
export function isWhole({ state, quarantined, refused }: SliceReading): boolean {
  return state === 'complete' && quarantined + refused === 0
}
