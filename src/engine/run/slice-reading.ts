import { meansDeleted } from '../../core/declare/means-deleted.ts'
import type { CallArguments } from '../../core/declare/operation.ts'
import type { Stream } from '../../core/declare/stream.ts'
import type { Window } from '../../core/time/spans.ts'
import type { PlannedSlice } from '../plan/plan-stream.ts'

/** What the read of one slice came to, so far or in the end. */
export interface SliceReading {
  slice: PlannedSlice
  state: 'complete' | 'failed' | 'not_allowed' | 'not_read'
  requestedAtMs: number
  pages: number
  received: number
  /** Of these, how many repeated a key that the same pass had shown before. */
  repeats: number
  fresh: number
  changed: number
  unchanged: number
  ignored: number
  /** Records about an erased person: shown, and not kept. */
  erased: number
  quarantined: number
  /** New or changed records that the database refused: they are quarantined. */
  refused: number
  /** Nested records that were quarantined, while the record around them was written. */
  nested: number
  serviceTotal: number | undefined
  /** Records outside the range that was asked for. */
  outside: number
  /** Of these, how many by more than a day, which no other time zone explains. */
  elsewhere: number
  /** It is its group's only slice. */
  alone: boolean
  /** The list is as long as the service shows at most, so some records may be missing from it. */
  atBound: boolean
  /** Arguments in place of the slice's own. */
  asks: CallArguments | undefined
  /** Records in a page, if the largest page was too large in bytes. */
  pageSize: number | undefined
  /** After how many usable records a page token was refused in the pass before. */
  refusedAt: number | undefined
  error: unknown
  /**
   * Windows of lower rank that were not read to their end. What they own may be live, whatever this slice
   * shows.
   */
  unread: Window[]
}

export function newReading(slice: PlannedSlice, alone = true): SliceReading {
  return {
    slice,
    unread: [],
    state: 'not_read',
    requestedAtMs: 0,
    pages: 0,
    received: 0,
    repeats: 0,
    fresh: 0,
    changed: 0,
    unchanged: 0,
    ignored: 0,
    erased: 0,
    quarantined: 0,
    refused: 0,
    nested: 0,
    serviceTotal: undefined,
    outside: 0,
    elsewhere: 0,
    alone,
    atBound: false,
    asks: undefined,
    pageSize: undefined,
    refusedAt: undefined,
    error: undefined,
  }
}

/** The service says that a list is not there, and yet lists its parent: nobody knows what is in the list. */
export function isAbsent({ operation }: Stream, { slice, state, error }: SliceReading): boolean {
  return state === 'complete' && slice.besides !== true && meansDeleted(operation, error)
}

/** Every record that the service showed is in the tables, so what was not shown is missing. */
export function isWhole({ state, quarantined, refused }: SliceReading): boolean {
  return state === 'complete' && quarantined + refused === 0
}
