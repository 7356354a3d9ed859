import type { WordSettings, Words } from '../define/own-words.ts'
import { FIELD_VALUES, FIELD_WORDS, isNeutral, WORD_HEADERS } from '../define/word-fields.ts'
import { EVENTS } from './events.ts'

const EVENT_PREFIX = 'svcroom'
/** The documents' words that a service may replace with its own: those with svc, and `Partner...`. */
export const NEUTRAL_WORDS: readonly string[] = [
  ...FIELD_WORDS,
  EVENT_PREFIX,
  ...[...EVENTS.keys()].filter(isNeutral),
  ...WORD_HEADERS,
]

/** Translates by the configured words; undefined if none are configured: then no word differs. */
export function wordsOf(settings: WordSettings): Words | undefined {
  if (Object.keys(settings).length === 0) return undefined
  const pairs = pairsOf(settings).filter(([neutral, own]) => neutral !== own)
  const [outward, inward] = [new Map(pairs), new Map(pairs.map(([neutral, own]) => [own, neutral]))]
  return {
    own: (word) => outward.get(word) ?? word,
    neutral: (word) => inward.get(word) ?? word,
    inFields: pairs.filter(([neutral]) => FIELD_WORDS.includes(neutral)),
  }
}

/** The configured words that would each stand for several of the documents' words. */
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

/** Replaces svc by the configured name, capitalized as in the documents. */
function spelled(word: string, vendor: string | undefined): string {
  if (vendor === undefined) return word
  return word
    .replace('SVC', vendor.toUpperCase())
    .replace('Svc', vendor.charAt(0).toUpperCase() + vendor.slice(1))
    .replace('svc', vendor.toLowerCase())
}
