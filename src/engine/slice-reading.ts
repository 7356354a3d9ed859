import type { PlannedSlice } from './plan-stream.ts'

/** What reading one slice came to, so far or in the end. */
export interface SliceReading {
  slice: PlannedSlice
  state: 'complete' | 'failed' | 'not_allowed' | 'not_read'
  requestedAtMs: number
  pages: number
  received: number
  fresh: number
  changed: number
  unchanged: number
  ignored: number
  quarantined: number
  serviceTotal: number | undefined
  /** Records a page, where the largest page was too large in bytes. */
  pageSize: number | undefined
  error: unknown
}

export function newReading(slice: PlannedSlice): SliceReading {
  return {
    slice,
    state: 'not_read',
    requestedAtMs: 0,
    pages: 0,
    received: 0,
    fresh: 0,
    changed: 0,
    unchanged: 0,
    ignored: 0,
    quarantined: 0,
    serviceTotal: undefined,
    pageSize: undefined,
    error: undefined,
  }
}
