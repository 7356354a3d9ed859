import { FIELD_WORDS } from '../../core/define/word-fields.ts'
import { translated } from '../../core/records/translate.ts'
import type { Received } from './read-json.ts'

/** The documented words in a request that a service may replace with its own, as they were sent. */
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
