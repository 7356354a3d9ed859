import { expect, it } from 'vitest'
import { identityOf } from '../../../src/core/persons/identity.ts'
import { mentionOf } from '../../../src/core/persons/mentions.ts'
import { redactValue } from '../../../src/core/persons/redact.ts'
import { unveiledText } from '../../../src/core/persons/veiled.ts'
import { listOf } from './search-for.ts'
import {
  ADDRESS,
  ALONE,
  CYRILLIC,
  ID,
  JAPANESE,
  nested,
  SPELLED,
  WIDE_ID,
  WITHIN,
  WITHIN_ONE,
} from './spellings.ts'

const PERSONS = [ADDRESS, ID, WIDE_ID]
const all = [...PERSONS, CYRILLIC, JAPANESE].map(identityOf)
const suppression = listOf(all)
const left = (text: string) => String(redactValue({ personal: [] }, text, { suppression }))
const quoted = (text: string): string => nested(`"${text}"`, 2)

it.each(ALONE)('a person is removed from %s', (text) => {
  for (const person of PERSONS)
    for (const veil of [String, encodeURIComponent, quoted]) {
      const said = `[${text.replaceAll('¤', veil(person))}]`
      const rest = `[${text.replaceAll('¤', veil === quoted ? quoted('') : '')}]`
      expect([said, mentionOf(said, all)]).toEqual([said, 'alone'])
      expect(bare(left(said))).toBe(bare(rest))
      expect(mentionOf(left(said), all)).toBeUndefined()
    }
})

it.each(['①¤', 'x\u200b¤\u200by', 'x²¤²', 'x\u202a¤\u202c'])(
  'a person without encoding is removed from %s',
  (text) => {
    for (const person of PERSONS)
      expect(left(`[${text.replaceAll('¤', person)}]`)).toBe(`[${text.replaceAll('¤', '')}]`)
  },
)

it.each(WITHIN)('a possible mention of a person in %s stays and is reported', (text) => {
  for (const person of PERSONS) {
    const said = `[${text.replaceAll('¤', person)}]`
    expect([said, left(said), mentionOf(said, all)]).toEqual([said, said, 'within'])
    const veiled = `[${text.replaceAll('¤', encodeURIComponent(person))}]`
    expect([veiled, left(veiled), mentionOf(veiled, all)]).toEqual([veiled, veiled, 'within'])
  }
})

it.each(WITHIN_ONE)(
  '%s stays, and is reported as a possible mention of %s',
  (text, person = '') => {
    const said = `[${text.replaceAll('¤', person)}]`
    expect([said, left(said), mentionOf(said, all)]).toEqual([said, said, 'within'])
  },
)

it.each([
  ['連絡先は¤です', CYRILLIC],
  ['Contact¤です', CYRILLIC],
  ['Contact¤です', JAPANESE],
  ['почта¤の', JAPANESE],
  ['...¤...', ADDRESS],
  ['¤--', ADDRESS],
  ['¤_', ADDRESS],
  ['¤+1', ADDRESS],
  ['+¤', ID],
  ['.¤.png', ID],
  ['/x/¤=1', WIDE_ID],
])('%s loses the person %s', (text, person = '') => {
  const said = `[${text.replaceAll('¤', person)}]`
  expect([mentionOf(said, all), left(said)]).toEqual(['alone', `[${text.replaceAll('¤', '')}]`])
})

it.each([
  ['x¤', ['x¤'], 'another'],
  ['see X¤, or x¤', ['x¤', 'X¤'], 'another'],
  ['?q=from_¤&x', ['from_¤'], 'another'],
  ['xx¤ and x¤', ['x¤'], 'within'],
  ['x¤y', ['x¤'], 'within'],
  ['x¤ and y¤', ['x¤'], 'within'],
  ['x¤ and ¤', ['x¤'], 'alone'],
  ['¤', ['¤'], 'alone'],
  ['¤x', ['see ¤x'], 'within'],
])('in %s, if %j belong to other people, the kind of mention is "%s"', (text, words, expected) => {
  for (const person of PERSONS)
    for (const veil of [String, encodeURIComponent]) {
      const said = `[${text.replaceAll('¤', veil(person))}]`
      const others = words.map((word) => word.replaceAll('¤', person))
      expect([said, mentionOf(said, all, others)]).toEqual([said, expected])
    }
})

it.each(SPELLED)('%s is recognized as the person’s email address', (spelled) => {
  for (const text of [
    '¤',
    'see ¤, please',
    '{"mail":"¤"}',
    'は¤です',
    '<a href="mailto:¤?subject=x">',
  ])
    expect([
      text,
      mentionOf(text.replace('¤', spelled), all),
      left(text.replace('¤', spelled)),
    ]).toEqual([
      text,
      'alone',
      text === '¤' ? expect.stringMatching(/^(?:null|)$/) : text.replace('¤', ''),
    ])
})

function bare(text: string): string {
  return unveiledText(text).replace(/[\s\\]/g, '')
}
