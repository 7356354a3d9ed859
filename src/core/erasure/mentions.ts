import { foldText } from '../values/fold-text.ts'
import { standsAlone } from './alphabet.ts'
import { type Identity, SHORTEST_WITHIN } from './identity.ts'
import { readingsOf } from './veiled.ts'

/**
 * `within`: inside what may be a longer word, so nobody can tell whether it names the person. `another`:
 * inside longer words only that the operator called another person's.
 */
export type Mention = 'alone' | 'within' | 'another'

/**
 * Looks for known IDs and addresses in every reading of a text, also inside of words. A short ID inside of a
 * word is there by chance. Where this finds nothing, the text does not name the person.
 */
export function mentionOf(
  text: string,
  identities: readonly Identity[],
  anothers: readonly string[] = [],
): Mention | undefined {
  let found: Mention | undefined
  for (const reading of readingsOf(text)) {
    const folded = foldText(reading)
    for (const { kind, text: sought } of identities) {
      if (kind === 'name') continue
      const mention =
        kind === 'address'
          ? mentionIn(folded, foldText(sought), anothers.map(foldText))
          : mentionIn(reading, sought, anothers)
      if (mention === 'alone') return mention
      if (found !== 'within') found = mention ?? found
    }
  }
  return found
}

function mentionIn(text: string, sought: string, anothers: readonly string[]): Mention | undefined {
  let found: Mention | undefined
  for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + 1)) {
    const to = at + sought.length
    if (standsAlone(text, at, to)) return 'alone'
    const beside = `${text[at - 1] ?? ''}${text[to] ?? ''}`
    if (sought.length < SHORTEST_WITHIN && /[\p{L}\p{N}]/u.test(beside)) continue
    if (!anothers.some((word) => isPartOf(word, text, [at, to]))) found = 'within'
    else found ??= 'another'
  }
  return found
}

/** Whether this place lies in the word, which stands alone there itself. */
function isPartOf(word: string, text: string, [at, to]: readonly [number, number]): boolean {
  const first = Math.max(0, to - word.length)
  for (let from = text.indexOf(word, first); from >= 0; from = text.indexOf(word, from + 1)) {
    if (from > at) return false
    if (standsAlone(text, from, from + word.length)) return true
  }
  return false
}
