import type { WordSettings, Words } from '../define/own-words.ts'
import { FIELD_VALUES, FIELD_WORDS, isNeutral, WORD_HEADERS } from '../define/word-fields.ts'
import { EVENTS } from './events.ts'

const EVENT_PREFIX = 'svcroom'
/** Each word of the documents that a service may have its own for: those of svc, and of partners. */
export const NEUTRAL_WORDS: readonly string[] = [
  ...FIELD_WORDS,
  EVENT_PREFIX,
  ...[...EVENTS.keys()].filter(isNeutral),
  ...WORD_HEADERS,
]

/** Undefined where nobody said which words the service uses: those of the documents, it seems. */
export function wordsOf(settings: WordSettings): Words | undefined {
  if (Object.keys(settings).length === 0) return undefined
  const pairs = pairsOf(settings).filter(([neutral, own]) => neutral !== own)
  const [outward, inward] = [new Map(pairs), new Map(pairs.map(([neutral, own]) => [own, neutral]))]
  return {
    own: (word) => outward.get(word) ?? word,
    neutral: (word) => inward.get(word) ?? word,
    inFields: pairs.filter(([neutral]) => FIELD_WORDS.includes(neutral)),
    vendor: settings.svc,
    isNamed: (word) => settings[word] !== undefined,
  }
}

/** Which of these words of the documents a value is, but for another name in the place of svc. */
export function likeWord(words: readonly string[], value: string): string | undefined {
  if (words.includes(value)) return undefined
  // Of a word that is the name alone, anything would be like it.
  const named = words.filter((word) => /svc./i.test(word))
  return named.find((word) => new RegExp(`^[A-Za-z0-9]+${word.replace(/svc/i, '')}$`).test(value))
}

/**
 * Values of a field that seem to be words of the service for words of the documents that it lacks and nobody
 * named: they begin with the name, where that is known, else they differ in the name alone.
 */
export function unnamedWords(
  words: Words | undefined,
  { known, held }: { known: readonly string[]; held: readonly string[] },
): { value: string; word: string }[] {
  const vendor = words?.vendor?.toLowerCase()
  if (vendor === 'svc') return []
  const lacking = known.filter(
    (word) => /svc/i.test(word) && !held.includes(word) && words?.isNamed(word) !== true,
  )
  const meant = (value: string): string | undefined => {
    if (vendor === undefined) return likeWord(lacking, value)
    return value.toLowerCase().startsWith(vendor) ? lacking.join(' or ') || undefined : undefined
  }
  return held
    .filter((value) => !known.includes(value))
    .flatMap((value) => {
      const word = meant(value)
      return word === undefined ? [] : [{ value, word }]
    })
}

/** Which event of the documents this is, but for another name in the place of svc. */
export function likeEvent(event: string): string | undefined {
  const [first = '', ...rest] = event.split('.')
  const named = [EVENT_PREFIX, ...rest].join('.')
  return /room/i.test(first) && first !== EVENT_PREFIX && EVENTS.has(named) ? named : undefined
}

/** Words of the service that would stand for two of the documents'; each with these two. */
export function ambiguous(settings: WordSettings): { own: string; neutral: readonly string[] }[] {
  const kept = [...FIELD_VALUES, ...EVENTS.keys()].filter((word) => !isNeutral(word))
  const pairs = [...pairsOf(settings), ...kept.map((value) => [value, value] as const)]
  const meant = Map.groupBy(pairs, ([, own]) => own)
  return [...meant]
    .map(([own, both]) => ({ own, neutral: both.map(([neutral]) => neutral) }))
    .filter(({ neutral }) => neutral.length > 1)
}

function pairsOf(settings: WordSettings): (readonly [string, string])[] {
  const room = settings[EVENT_PREFIX] ?? spelled(EVENT_PREFIX, settings.svc)
  return NEUTRAL_WORDS.map((word) => {
    const event = word.startsWith(`${EVENT_PREFIX}.`)
    const usual = event ? word.replace(EVENT_PREFIX, room) : spelled(word, settings.svc)
    return [word, settings[word] ?? usual]
  })
}

/** In capitals where the documents have capitals, with a capital where they have one. */
function spelled(word: string, vendor: string | undefined): string {
  if (vendor === undefined) return word
  return word
    .replace('SVC', vendor.toUpperCase())
    .replace('Svc', vendor.charAt(0).toUpperCase() + vendor.slice(1))
    .replace('svc', vendor.toLowerCase())
}
