import { z } from 'zod'
import { plainBoolean, plainInstant, plainInteger } from '../define/column.ts'

/** An event as the documents describe it. The service may leave out any field, or send it empty or null. */
export interface EventDefinition {
  event: string
  /** Of `payload.object`; of `payload` itself where there is none. Unknown fields pass. */
  fields: z.ZodObject
  /** What the field `id` names, for those that look for all that concerns somebody. */
  id?: 'room' | 'workspace' | 'location' | 'reservation'
  says?: Says
  /** Where what it says depends on the value of a field. */
  saysBy?: { field: string; by: Readonly<Record<string, Says>> }
}

/**
 * What an event says of the present state of a thing. The newest word on a thing holds, whatever order the
 * words arrive in; of two of one time the one of the higher rank.
 */
export interface Says {
  thing: string
  /** Fields of the object; without them nobody can tell which thing is meant. */
  key: readonly string[]
  state: string
  rank: number
}

/** A value in one of the plain spellings of its type, or empty. */
const plain = (read: (value: unknown) => unknown, what: string) =>
  z.custom((value) => value === '' || read(value) !== undefined, { error: `not ${what}` }).nullish()

export const text = () => z.string().nullish()
export const oneOf = <const T extends string>(values: readonly T[]) => z.enum(values).nullish()
export const flag = () => plain(plainBoolean, 'a yes or no')
export const texts = () => z.array(z.string()).nullish()

export const integer = () => plain(plainInteger, 'an integer')

/** An integer that is one of these. */
export const code = (values: readonly number[]) =>
  z.preprocess(
    (value) => (value === undefined || value === null ? value : Number(plainInteger(value))),
    z.literal([...values]).nullish(),
  )

export const instant = () => plain(plainInstant, 'a date-time')

export const list = (fields: z.ZodRawShape) => z.array(z.looseObject(fields)).nullish()
