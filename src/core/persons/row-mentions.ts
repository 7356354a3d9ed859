import { parseLossless, rawNumber } from '../values/json.ts'
import { type Identity, identityOf } from './identity.ts'
import { type Mention, mentionOf } from './mentions.ts'
import { redactValue } from './redact.ts'
import type { Suppression } from './suppression.ts'
import { withoutPersons } from './without-persons.ts'

/** The person whom a search looks for in the rows of any table. */
export interface Sought {
  identities: readonly Identity[]
  /** The suppression list of this person alone. */
  suppression: Suppression
  /** The fields that may contain a name; only if the name counts everywhere. */
  nameFields?: readonly string[]
  /** Known IDs and addresses of others that contain an ID or address of the person. */
  others: ReadonlySet<string>
  /** Longer words that the operator attributed to another person. */
  othersWords: readonly string[]
}

export interface RowMentions {
  named: boolean
  /** Columns in which the ID or address is inside a longer word, or spelled otherwise. */
  uncertain: string[]
  /** Columns in which the ID or address is only part of words attributed to another person. */
  another: string[]
}

export function mentionsIn(row: Readonly<Record<string, unknown>>, sought: Sought): RowMentions {
  const mentions = Object.entries(row).map(([column, value]) => ({
    column,
    mention: strongest([...textsIn(value)].map((text) => mentionBeside(text, sought))),
  }))
  const columnsOf = (kind: Mention): string[] =>
    mentions.flatMap(({ column, mention }) => (mention === kind ? [column] : []))
  return {
    named: columnsOf('alone').length > 0 || isCalled(row, sought),
    uncertain: columnsOf('within'),
    another: columnsOf('another'),
  }
}

/** Ignores longer words that are another person's known ID or address. */
function mentionBeside(
  text: string | Digits,
  { identities, others, othersWords }: Sought,
): Mention | undefined {
  if (typeof text !== 'string')
    return identities.some((one) => one.text === text.digits) ? 'alone' : undefined
  const mention = mentionOf(text, identities)
  if (mention !== 'within' || others.size + othersWords.length === 0) return mention
  return mentionOf(
    withoutPersons(text, (part) => others.has(wordOf(identityOf(part)))),
    identities,
    othersWords,
  )
}

export const wordOf = ({ kind, text }: Identity): string => `${kind}:${text}`

function strongest(mentions: readonly (Mention | undefined)[]): Mention | undefined {
  return (['alone', 'within', 'another'] as const).find((one) => mentions.includes(one))
}

/** Whether a field of the row that may contain a name consists of the person's name. */
function isCalled(row: Readonly<Record<string, unknown>>, sought: Sought): boolean {
  const { nameFields: personal, suppression } = sought
  if (personal === undefined) return false
  const { path, example } = row
  const value = {
    ...Object.fromEntries(Object.entries(row).map(([name, inner]) => [name, parsed(inner)])),
    // A finding of drift has the field's path and its value in two columns.
    ...(typeof path === 'string' ? { [path.split('.').at(-1) ?? '']: example } : {}),
  }
  return redactValue({ personal }, value, { suppression }) !== value
}

/** A quarantined record is stored as text: JSON in it is parsed. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  try {
    return parseLossless(value)
  } catch {
    return value
  }
}

interface Digits {
  digits: string
}

/** Yields all texts of a value, also its property names, and its numbers, which count only as a whole. */
function* textsIn(value: unknown): Generator<string | Digits> {
  const digits = typeof value === 'number' ? String(value) : rawNumber(value)
  if (digits !== undefined) yield { digits }
  else if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) {
      if (!Array.isArray(value)) yield name
      yield* textsIn(inner)
    }
}
