import { standsAlone } from '../alphabet.ts'
import { spelledOutIn } from '../spelled-out.ts'
import { foldText } from '../values/text.ts'
import { type Identity, SHORTEST_WITHIN } from './identity.ts'
import { readingsOf } from './veiled.ts'

/**
 * `alone`: as a word of its own. `within`: inside a longer word or spelled otherwise, so that it may name the
 * person or not. `another`: only inside longer words that the operator attributed to another person.
 */
export type Mention = 'alone' | 'within' | 'another'

/**
 * Looks for a person's known IDs and addresses, not names, in every reading of a text, also inside words. A
 * short ID inside a word counts as coincidence. Undefined if nothing is found.
 */
export function mentionOf(
  text: string,
  identities: readonly Identity[],
  othersWords: readonly string[] = [],
): Mention | undefined {
  const found = new Set<Mention | undefined>()
  const folds = othersWords.map(foldText)
  for (const reading of readingsOf(text)) {
    const folded = foldText(reading)
    for (const { kind, text: sought } of identities) {
      if (kind === 'name') continue
      const exact =
        kind === 'address'
          ? mentionIn(folded, foldText(sought), folds)
          : mentionIn(reading, sought, othersWords)
      if (exact === 'alone') return exact
      const places = kind === 'address' ? spelledOutIn : inOtherCase
      found.add(exact).add(mentionAt(places(folded, foldText(sought)), folded, folds))
    }
  }
  return (['within', 'another'] as const).find((mention) => found.has(mention))
}

/** Finds a folded ID in a folded text. IDs are case-sensitive, so a match may be another person's ID. */
function inOtherCase(text: string, id: string): Place[] {
  const places: Place[] = []
  if (id.length < SHORTEST_WITHIN) return places
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1))
    places.push([at, at + id.length])
  return places
}

function mentionAt(
  places: readonly Place[],
  text: string,
  othersWords: readonly string[],
): Mention | undefined {
  if (places.length === 0) return undefined
  const isAnothers = (at: Place): boolean => othersWords.some((word) => isPartOf(word, text, at))
  return places.every(isAnothers) ? 'another' : 'within'
}

function mentionIn(
  text: string,
  sought: string,
  othersWords: readonly string[],
): Mention | undefined {
  let found: Mention | undefined
  for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + 1)) {
    const to = at + sought.length
    if (standsAlone(text, at, to)) return 'alone'
    const beside = `${text[at - 1] ?? ''}${text[to] ?? ''}`
    if (sought.length < SHORTEST_WITHIN && /[\p{L}\p{N}]/u.test(beside)) continue
    if (!othersWords.some((word) => isPartOf(word, text, [at, to]))) found = 'within'
    else found ??= 'another'
  }
  return found
}

type Place = readonly [from: number, to: number]

/** Whether this place is part of an occurrence of the word that stands alone. */
function isPartOf(word: string, text: string, [at, to]: Place): boolean {
  const first = Math.max(0, to - word.length)
  for (let from = text.indexOf(word, first); from >= 0; from = text.indexOf(word, from + 1)) {
    if (from > at) return false
    if (standsAlone(text, from, from + word.length)) return true
  }
  return false
}
