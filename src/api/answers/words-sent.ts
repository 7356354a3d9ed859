import { FIELD_WORDS } from '../../core/define/word-fields.ts'
import { translated } from '../../core/records/translate.ts'
import type { Received } from './read-json.ts'

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
