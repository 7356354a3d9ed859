import { z } from 'zod'
import { parseDate, parseDuration, parseInstant } from './time.ts'

/** The Postgres types that data columns use. */
export type PgType =
  | 'text'
  | 'bigint'
  | 'boolean'
  | 'timestamptz'
  | 'date'
  | 'numeric'
  | 'text[]'
  | 'jsonb'

/** What a column holds on our side: int64 as its digits, times as ISO text in UTC, json as compact text. */
export type ColumnValue = string | number | boolean | null | readonly string[]

/**
 * A typed column: its Postgres type and the zod schema that turns the wire's value into the column's. A
 * value that the schema refuses is stored as null and counted as an anomaly; `known` lists an enumeration's
 * documented values, and any other is kept and recorded as drift.
 */
export interface Column {
  pg: PgType
  schema: z.ZodType<ColumnValue>
  known?: readonly (string | number)[]
  /**
   * What the schema would answer, as text, for a value in its usual form, at a fraction of the cost.
   * Undefined for everything else, which the schema judges.
   */
  usual?: (value: unknown) => string | undefined
}

const digits = z.union([z.number().int(), z.string().regex(/^-?\d{1,19}$/)]).transform(String)

const asText = (value: unknown) => (typeof value === 'string' ? value : undefined)
const asDigits = (value: unknown) => (Number.isSafeInteger(value) ? String(value) : undefined)
const asBoolean = (value: unknown) => (typeof value === 'boolean' ? String(value) : undefined)
const asParsed = (parse: (value: string) => string | undefined) => (value: unknown) =>
  typeof value === 'string' ? parse(value) : undefined

export const text = (): Column => ({ pg: 'text', schema: z.string(), usual: asText })
export const oneOf = (known: readonly string[]): Column => ({
  pg: 'text',
  schema: z.string(),
  usual: asText,
  known,
})
export const integer = (known?: readonly number[]): Column => ({
  pg: 'bigint',
  schema: digits.refine(fitsInt64),
  usual: asDigits,
  ...(known === undefined ? {} : { known }),
})
export const numeric = (): Column => ({
  pg: 'numeric',
  schema: z.union([z.number().transform(String), z.string().regex(/^-?\d+(\.\d+)?$/)]),
})
export const boolean = (): Column => ({
  pg: 'boolean',
  schema: z.boolean(),
  usual: asBoolean,
})
export const instant = (): Column => ({
  pg: 'timestamptz',
  schema: parsed(parseInstant, 'date-time'),
  usual: asParsed(parseInstant),
})
export const date = (): Column => ({
  pg: 'date',
  schema: parsed(parseDate, 'yyyy-mm-dd'),
  usual: asParsed(parseDate),
})
/** `hh:mm:ss` or `mm:ss` as whole seconds. */
export const durationSeconds = (): Column => ({
  pg: 'bigint',
  schema: parsed(parseDuration, 'hh:mm:ss'),
  usual: asParsed(parseDuration),
})
export const textArray = (): Column => ({ pg: 'text[]', schema: z.array(z.string()) })
export const json = (): Column => ({
  pg: 'jsonb',
  schema: z.unknown().transform((value) => JSON.stringify(value)),
})

function parsed<T extends ColumnValue>(
  parse: (value: string) => T | undefined,
  shape: string,
): Column['schema'] {
  return z.string().transform((value, context) => {
    const result = parse(value)
    if (result !== undefined) return result
    context.addIssue({ code: 'custom', message: `not a ${shape}` })
    return z.NEVER
  })
}

function fitsInt64(value: string): boolean {
  const number = BigInt(value)
  return number >= -(2n ** 63n) && number < 2n ** 63n
}
