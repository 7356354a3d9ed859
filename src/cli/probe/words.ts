import { FIELD_WORDS } from '../../core/declare/word-fields.ts'
import { likeWord, wordsOf } from '../../core/events/words.ts'
import { speaksWords, translated } from '../../core/records/translate.ts'
import { listSipGroups } from '../../resources/number-settings.ts'
import { type Probe, type Probed, type Reading, refusalText } from './probe.ts'

/** The values that lists were asked with and answered: whether the service uses the documents' words. */
export const words: Probe = {
  id: 'words',
  lines: ['query-numbers', 'query-sip'],
  assumption: 'the service uses the words of its documents, or those that accounts[].words names',
  operations: [],
  mostReads: 0,
  run({ seen }) {
    const readings = seen.readings.filter(({ operation }) => speaksWords(operation))
    const alike = alikeIn(readings)
    if (alike.size > 0) return otherwise(alike)
    const asked = readings.filter(
      ({ operation, args }) =>
        operation.id === listSipGroups.id && args.query?.allocated_product !== undefined,
    )
    const [refused] = asked.filter(({ refusal }) => refusal !== undefined)
    if (asked.some(({ refusal }) => refusal === undefined))
      return {
        verdict: 'holds',
        found: 'a documented word is accepted, and no word of others came back',
      }
    if (refused?.refusal?.facts.todo?.includes('accounts[].words') !== true)
      return { verdict: 'unclear', found: 'no list that is filtered by a word was answered' }
    return {
      verdict: 'differs',
      found: `${String(refused.args.query?.allocated_product)}: ${refusalText(refused)}`,
      means:
        'what such a word asks for is not read, until accounts[].words names the service’s own',
    }
  },
}

/** Values that match a word of the documents except for a name in them, by that word. */
function alikeIn(readings: readonly Reading[]): Map<string, string> {
  const alike = new Map<string, string>()
  const note = (value: string): string => {
    const word = likeWord(FIELD_WORDS, value)
    if (word !== undefined && !alike.has(word)) alike.set(word, value)
    return value
  }
  for (const { operation, body } of readings) translated(operation, note, body)
  return alike
}

function otherwise(alike: ReadonlyMap<string, string>): Probed {
  const said = [...alike].map(([word, value]) => `${value} in place of ${word}`).join(', ')
  const names = [...alike].map(([word, value]) => value.slice(0, value.length - word.length + 3))
  // A name with lower-case letters says more than one in capitals.
  const [svc = ''] = names.toSorted((a, b) => Number(isCapital(a)) - Number(isCapital(b)))
  const named = { svc: isCapital(svc) || isCapitalised(svc) ? svc.toLowerCase() : svc }
  const usual = wordsOf(named)
  const others = [...alike].filter(([word, value]) => usual?.own(word) !== value)
  return {
    verdict: 'differs',
    found: said,
    means: 'a run that reads such words is not complete until they are named',
    facts: Object.fromEntries(alike),
    settings: { words: { ...named, ...Object.fromEntries(others) } },
  }
}

function isCapital(name: string): boolean {
  return name === name.toUpperCase()
}

function isCapitalised(name: string): boolean {
  return name.slice(1) === name.slice(1).toLowerCase()
}
