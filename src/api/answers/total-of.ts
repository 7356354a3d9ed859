import { rawNumber } from '../../core/values/lossless-json.ts'
import { kindOf, notDue, type Received } from './read-json.ts'

/**
 * A count of the envelope, which may come as its digits. Null, an empty text and no field are no count; one
 * that is there and cannot be read is an error, or a list that breaks off would pass for a whole one.
 */
export function countIn(received: Received, name: string, told: unknown): number | undefined {
  if (told === undefined || told === null || told === '') return undefined
  const digits = typeof told === 'string' && /^\d+$/.test(told) ? told : rawNumber(told)
  const count = digits === undefined ? told : Number(digits)
  if (Number.isSafeInteger(count) && (count as number) >= 0) return count as number
  const came =
    typeof count === 'number' ? `a ${name} of ${digits ?? count}` : `${name}: ${kindOf(told)}`
  throw notDue(received, `${came.slice(0, MOST_CHARACTERS)}, which counts nothing`, false)
}

/** A number may come with any number of digits. */
const MOST_CHARACTERS = 60
