import { translated } from '../core/translate.ts'
import { FIELD_WORDS } from '../core/words.ts'
import type { Received } from './read-json.ts'
import type { Refusal } from './refusal.ts'

/** The documents' words in what was sent that a service may have words of its own for, as they went out. */
export function wordsSent({ operation, args, body, words }: Received): Set<string> {
  const sent = new Set<string>()
  const note = (word: string): string => {
    const neutral = words?.neutral(word) ?? word
    if (FIELD_WORDS.includes(neutral)) sent.add(words?.own(neutral) ?? neutral)
    return word
  }
  translated(operation, note, [args.query, body === undefined ? undefined : JSON.parse(body)])
  return sent
}

/** What to do about a refusal of what was sent with such words; undefined where they are not in doubt. */
export function adviceOnWords({ operation, status, body, words }: Refusal): string | undefined {
  if (words === undefined || words.size === 0 || (status !== 400 && status !== 422))
    return undefined
  const declared = operation.errors?.find((one) => one.status === status && one.code === body.code)
  if (declared !== undefined && declared.ofWords !== true) return undefined
  return `if the service has another word for ${[...words].join(' or ')}, name it in accounts[].words`
}
