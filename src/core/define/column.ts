import { epochInstant, readInstant } from '../time/instant.ts'
import { rawNumber } from '../values/json.ts'

export type PgType = 'text' | 'bigint' | 'boolean' | 'timestamptz' | 'text[]' | 'jsonb'

/**
 * A typed column: its content in one sentence, its Postgres type, and a function that converts the wire value
 * to Postgres text. An unconvertible value is stored as null and reported; `known` lists an enumeration's
 * documented values, and any other value is stored and reported.
 */
export interface Column<Pg extends PgType = PgType> {
  about: string
  pg: Pg
  read(value: unknown): string | undefined
  known?: readonly (string | number)[]
  /** The documented meaning of each number. */
  meanings?: Readonly<Record<number, string>>
}

export const text = (about: string): Column<'text'> => ({ about, pg: 'text', read: plainString })

export const oneOf = (about: string, known: readonly string[]): Column<'text'> => ({
  ...text(about),
  known,
})

export const integer = (about: string, known?: readonly number[]): Column<'bigint'> => ({
  about,
  pg: 'bigint',
  read: plainInteger,
  ...(known === undefined ? {} : { known }),
})

/** A number that stands for a word. The column's description is `about` with the numbers and their words. */
export const coded = (
  about: string,
  meanings: Readonly<Record<number, string>>,
  besides = '',
): Column<'bigint'> => {
  const words = Object.entries(meanings).map(([code, word]) => `${code} ${word}`)
  const known = Object.keys(meanings).map(Number)
  return { ...integer(`${about}: ${words.join(', ')}${besides}.`, known), meanings }
}

/** A yes or no that the service sends as 1 or 0. */
export const flag = (about: string): Column<'bigint'> => ({
  about,
  meanings: { 0: 'no', 1: 'yes' },
  pg: 'bigint',
  read: (value) => FLAGS[plainBoolean(value) ?? 'neither'] ?? plainInteger(value),
  known: [0, 1],
})

export const boolean = (about: string): Column<'boolean'> => ({
  about,
  pg: 'boolean',
  read: plainBoolean,
})

export const instant = (about: string): Column<'timestamptz'> => ({
  about,
  pg: 'timestamptz',
  read: plainInstant,
})

export const durationSeconds = (about: string): Column<'bigint'> => ({
  about,
  pg: 'bigint',
  read: (value) => (typeof value === 'string' ? parseDuration(value) : undefined),
})

export const textArray = (about: string): Column<'text[]'> => ({
  about,
  pg: 'text[]',
  read: readTexts,
})

/** `members`: converters by field name, applied at any depth. */
export const json = (
  about: string,
  members: Readonly<Record<string, (value: unknown) => unknown>> = {},
): Column<'jsonb'> => ({
  about,
  pg: 'jsonb',
  read: (value) =>
    JSON.stringify(value, (name, inner: unknown) =>
      Object.hasOwn(members, name) ? members[name]?.(inner) : inner,
    ),
})

export const jsonList = (about: string): Column<'jsonb'> => ({
  about,
  pg: 'jsonb',
  read: (value) => JSON.stringify(plainList(value)),
})

export const integerList = (about: string): Column<'jsonb'> => ({
  about,
  pg: 'jsonb',
  read: (value) => {
    const items = plainList(value)
    const integers = items.map(plainInteger)
    return integers.includes(undefined) ? JSON.stringify(items) : `[${integers.join(',')}]`
  },
})

/** Drops nulls. If any other item is neither a text nor a whole number, the whole list is unreadable. */
function readTexts(value: unknown): string | undefined {
  const texts = plainList(value)
    .filter((item) => item !== null)
    .map(plainString)
  if (texts.includes(undefined)) return undefined
  return `{${texts.map((item) => `"${item?.replace(/["\\]/g, '\\$&') ?? ''}"`).join(',')}}`
}

/**
 * The next four functions turn each plain spelling of a value into one text, since the service, or a new
 * version of it, may spell values differently. They return undefined for any other spelling.
 */

/** A text, or a whole number as its digits. */
export function plainString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : wholeNumber(value)
}

/** A whole number of 64 bits: 5, 5.0, "5" or "5.0". */
export function plainInteger(value: unknown): string | undefined {
  const spelled = typeof value === 'string' ? value : printed(value)
  const digits = /^([+-]?\d{1,19})(?:\.0+)?$/.exec(spelled ?? '')?.[1]
  if (digits === undefined) return undefined
  const number = BigInt(digits)
  return number >= -(2n ** 63n) && number < 2n ** 63n ? String(number) : undefined
}

/** true, 1, "1", "true" or "True", and likewise for false. */
export function plainBoolean(value: unknown): 'true' | 'false' | undefined {
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  return BOOLEANS.get(plainString(value)?.toLowerCase() ?? '')
}

/** A time in any legal spelling, or an epoch time in seconds or milliseconds, as a number or its digits. */
export function plainInstant(value: unknown): string | undefined {
  // A number is always an epoch time: the service sends no date as a number.
  return typeof value === 'string' ? readInstant(value) : epochInstant(printed(value) ?? '')
}

/** A list; a single value becomes a list of one. */
export function plainList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}

/** An instant in a key, independent of its spelling: empty ones as received, `UNREADABLE` if not a time. */
export function instantInKey(value: unknown): unknown {
  return value === undefined || value === null || value === ''
    ? value
    : (plainInstant(value) ?? UNREADABLE)
}

function wholeNumber(value: unknown): string | undefined {
  const digits = printed(value)
  return digits !== undefined && /^-?\d+$/.test(digits) ? digits : undefined
}

function printed(value: unknown): string | undefined {
  return typeof value === 'number' ? String(value) : rawNumber(value)
}

/** `hh:mm:ss`, `mm:ss` or `PT1H2M3S` in whole seconds, as digits; hours may exceed 24. */
export function parseDuration(value: string): string | undefined {
  const match = CLOCK_DURATION.exec(value) ?? ISO_DURATION.exec(value)
  if (match === null) return undefined
  const [hours = 0, minutes = 0, seconds = 0] = match
    .slice(1)
    .map((part: string | undefined) => Number(part ?? 0))
  return String(hours * 3600 + minutes * 60 + seconds)
}

const FLAGS: Readonly<Record<string, string>> = { true: '1', false: '0' }

/** Replaces an unreadable time in a key, so that its spellings do not make different keys. */
export const UNREADABLE = Symbol('a time that cannot be read')

const BOOLEANS: ReadonlyMap<string, 'true' | 'false'> = new Map([
  ['true', 'true'],
  ['1', 'true'],
  ['false', 'false'],
  ['0', 'false'],
])

const CLOCK_DURATION = /^(?:(\d{1,5}):)?([0-5]?\d):([0-5]\d)(?:[.,]\d{1,9})?$/
const ISO_DURATION = /^PT(?=\d)(?:(\d{1,5})H)?(?:(\d{1,5})M)?(?:(\d{1,5})(?:[.,]\d{1,9})?S)?$/
