import { type CustomTypesConfig, types } from 'pg'

/**
 * How this pool reads values, without changing the whole process. timestamptz: ISO text in UTC with its
 * fraction, because a Date would lose microseconds. date and numeric: text. int8: a number if that is exact,
 * else its digits. bytea: a Buffer. jsonb: parsed; cast it in SQL if the text is needed (`_raw::text`).
 */
export const typeParsers: CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    const own = format === 'binary' ? undefined : PARSERS[oid]
    return own ?? types.getTypeParser(oid, format)
  }) as typeof types.getTypeParser,
}

function sentInstant(value: string): string {
  // The session's time zone is UTC, so all values end in +00, except infinity and years BC.
  return value.endsWith('+00') ? `${value.slice(0, 10)}T${value.slice(11, -3)}Z` : value
}

export function readInteger(value: string): number | string {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

const asText = (value: string): string => value
// The driver's enumeration of OIDs lacks the array types.
const readTexts = types.getTypeParser(1009 as 25) as (value: string) => (string | null)[]
const arrayOf =
  (parse: (value: string) => unknown) =>
  (value: string): unknown[] =>
    readTexts(value).map((item) => (item === null ? null : parse(item)))

/** By type OID: int8 20, date 1082, timestamp 1114, timestamptz 1184, numeric 1700, and their arrays. */
const PARSERS: Readonly<Record<number, (value: string) => unknown>> = {
  20: readInteger,
  1016: arrayOf(readInteger),
  1082: asText,
  1182: arrayOf(asText),
  1114: (value) => value.replace(' ', 'T'),
  1184: sentInstant,
  1185: arrayOf(sentInstant),
  1700: asText,
  1231: arrayOf(asText),
}
