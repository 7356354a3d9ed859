import { parseDuration } from '../time/time.ts'
import {
  plainBoolean,
  plainInstant,
  plainInteger,
  plainList,
  plainString,
} from '../values/plain-values.ts'

/** The Postgres types that data columns use. */
export type PgType = 'text' | 'bigint' | 'boolean' | 'timestamptz' | 'text[]' | 'jsonb'

/**
 * A typed column: what it holds in one sentence, its Postgres type, and what turns the wire's value into
 * Postgres's text of it. A value of which nothing comes is stored as null and counted as an anomaly; `known`
 * lists an enumeration's documented values, and any other is kept and recorded as drift.
 */
export interface Column<Pg extends PgType = PgType> {
  about: string
  pg: Pg
  read(value: unknown): string | undefined
  known?: readonly (string | number)[]
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
/** A yes or no that is documented as 1 or 0. */
export const flag = (about: string): Column<'bigint'> => ({
  about,
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
/** `hh:mm:ss` or `mm:ss` as whole seconds. */
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
/** `members`: what a field of this name comes to, at any depth. */
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
/** A list of anything. */
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

/** A null in a list says nothing; the others of the list still do. */
function readTexts(value: unknown): string | undefined {
  const texts = plainList(value)
    .filter((item) => item !== null)
    .map(plainString)
  if (texts.includes(undefined)) return undefined
  return `{${texts.map((item) => `"${item?.replace(/["\\]/g, '\\$&') ?? ''}"`).join(',')}}`
}

const FLAGS: Readonly<Record<string, string>> = { true: '1', false: '0' }
