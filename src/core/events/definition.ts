import { z } from 'zod'
import { parseInstant } from '../time.ts'
import { rawNumber } from '../lossless-json.ts'

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

export const text = () => z.string().nullish()
export const oneOf = <const T extends string>(values: readonly T[]) => z.enum(values).nullish()
export const flag = () => z.boolean().nullish()
export const texts = () => z.array(z.string()).nullish()

/** An integer of up to 64 bits, past 2^53 as `parseLossless` keeps it, or as digits in a string. */
export const integer = () =>
  z.custom((value) => isInteger(value), { error: 'not an integer' }).nullish()

/** An integer that is one of these. */
export const code = (values: readonly number[]) => z.literal([...values]).nullish()

export const instant = () =>
  z
    .string()
    .refine((value) => value === '' || parseInstant(value) !== undefined, {
      error: 'not a date-time',
    })
    .nullish()

export const list = (fields: z.ZodRawShape) => z.array(z.looseObject(fields)).nullish()

function isInteger(value: unknown): boolean {
  if (typeof value === 'string') return /^-?\d{1,19}$/.test(value)
  return Number.isSafeInteger(value) || /^-?\d{1,19}$/.test(rawNumber(value) ?? '')
}
