import type { WireRecord } from '../core/values/json.ts'

/** A field of an object inside a record; undefined if there is no object. */
export function fieldWithin(object: unknown, field: string): unknown {
  return typeof object === 'object' && object !== null ? (object as WireRecord)[field] : undefined
}
