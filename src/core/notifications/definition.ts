import { z } from 'zod'
import { plainBoolean, plainInstant, plainInteger } from '../define/column.ts'

/** An event as the documents describe it. The service may leave out any field, or send it empty or null. */
export interface EventDefinition {
  event: string
  /** The fields of `payload.object`; of `payload` for an app's removal. Unknown fields are accepted. */
  fields: z.ZodObject
  /** The kind of object that the field `id` identifies, so that an erasure finds its events. */
  id?: 'room' | 'workspace' | 'location' | 'reservation'
  says?: Says
  /** Used instead of `says` if the state depends on the value of a field. */
  saysBy?: { field: string; by: Readonly<Record<string, Says>> }
}

/**
 * The state of a thing after an event. The newest event about a thing wins, in whatever order events arrive;
 * of two events at one time, the event with the higher rank.
 */
export interface Says {
  thing: string
  /** The fields of the object that identify the thing. */
  key: readonly string[]
  state: string
  rank: number
}

/** Accepts any value that `read` can read, and an empty or absent one. */
const plain = (read: (value: unknown) => unknown, what: string) =>
  z.custom((value) => value === '' || read(value) !== undefined, { error: `not ${what}` }).nullish()

export const text = () => z.string().nullish()
export const oneOf = <const T extends string>(values: readonly T[]) => z.enum(values).nullish()
export const flag = () => plain(plainBoolean, 'a yes or no')
export const texts = () => z.array(z.string()).nullish()

export const integer = () => plain(plainInteger, 'an integer')

export const code = (values: readonly number[]) =>
  z.preprocess(
    (value) => (value === undefined || value === null ? value : Number(plainInteger(value))),
    z.literal([...values]).nullish(),
  )

export const instant = () => plain(plainInstant, 'a date-time')

export const list = (fields: z.ZodRawShape) => z.array(z.looseObject(fields)).nullish()
