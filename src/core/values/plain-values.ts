import { epochInstant, readInstant } from '../time/time.ts'
import { rawNumber } from './lossless-json.ts'

/**
 * The plain spellings of each type, as one text for one value: a service, or a new version of it, may spell
 * what a field holds in another way. What is not plain is undefined, and never guessed at.
 */

/** A text; digits that came as a number are what they say. */
export function plainString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : wholeNumber(value)
}

/** A whole number of 64 bits: 5, 5.0, "5" or "5.0". */
export function plainInteger(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value : printed(value)
  const digits = /^([+-]?\d{1,19})(?:\.0+)?$/.exec(text ?? '')?.[1]
  if (digits === undefined) return undefined
  const number = BigInt(digits)
  return number >= -(2n ** 63n) && number < 2n ** 63n ? String(number) : undefined
}

/** true, 1, "1", "true" or "True", and the same of false. */
export function plainBoolean(value: unknown): 'true' | 'false' | undefined {
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  return BOOLEANS.get(plainString(value)?.toLowerCase() ?? '')
}

/** A time in any legal spelling, or an epoch time in seconds or milliseconds, as a number or its digits. */
export function plainInstant(value: unknown): string | undefined {
  // The digits of a date make a number, too, but nobody writes a date as one.
  return typeof value === 'string' ? readInstant(value) : epochInstant(printed(value) ?? '')
}

/** A list; one value that came without it is a list of that. */
export function plainList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}

/** An instant as part of a key, which must not change with its spelling; else `UNREADABLE`. */
export function instantInKey(value: unknown): unknown {
  return value === undefined || value === null || value === ''
    ? value
    : (plainInstant(value) ?? UNREADABLE)
}

/** In place of a part of a key that cannot be read: by its spelling it would be another key each time. */
export const UNREADABLE = Symbol('a time that cannot be read')

function wholeNumber(value: unknown): string | undefined {
  const digits = printed(value)
  return digits !== undefined && /^-?\d+$/.test(digits) ? digits : undefined
}

function printed(value: unknown): string | undefined {
  return typeof value === 'number' ? String(value) : rawNumber(value)
}

const BOOLEANS: ReadonlyMap<string, 'true' | 'false'> = new Map([
  ['true', 'true'],
  ['1', 'true'],
  ['false', 'false'],
  ['0', 'false'],
])
