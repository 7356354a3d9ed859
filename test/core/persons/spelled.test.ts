import { expect, it } from 'vitest'
import { identityOf } from '../../../src/core/persons/identity.ts'
import { mentionOf } from '../../../src/core/persons/mentions.ts'
import { redactValue } from '../../../src/core/persons/redact.ts'
import { unveiledText } from '../../../src/core/persons/veiled.ts'
import { listOf } from './search-for.ts'
import { ADDRESS, ID, OF_OTHERS, SAME, SPELLED_OUT } from './spellings.ts'

const people = [ADDRESS, ID].map(identityOf)
const left = (value: unknown, persons = people) =>
  redactValue({ personal: [] }, value, { suppression: listOf(persons) })

it.each(SAME)('%s and %s are the same email address', (address, other) => {
  const persons = [identityOf(address)]
  expect(mentionOf(`see <${other}>, please`, persons)).toBe('alone')
  expect(left({ a: other, b: `see <${other}>, please` }, persons)).toEqual({
    a: null,
    b: 'see <>, please',
  })
  expect(identityOf(other)).toEqual(persons[0])
  const longer = /[a-z]$/.test(address) ? [`${other}.au`] : []
  for (const text of [`${address[0] ?? ''}${other}`, ...longer]) {
    expect([text, mentionOf(text, persons)]).toEqual([text, 'within'])
    expect(left(text, persons)).toBe(text)
  }
})

it.each(SPELLED_OUT)('%s is reported as a possible mention of a person', (spelled) => {
  for (const text of [spelled, `see ${spelled}, please`, `(${spelled})`, `は${spelled}`]) {
    expect([text, mentionOf(text, people)]).toEqual([text, 'within'])
    expect(left(text)).toBe(text)
    expect(mentionOf(text, people, [spelled, unveiledText(spelled)])).toBe('another')
  }
})

it.each(OF_OTHERS)('no person is found in %s', (text) => {
  expect(mentionOf(text, people)).toBeUndefined()
  expect(left(text)).toBe(text)
})

it('a long text is searched quickly even if it repeats the beginning of an address', () => {
  const before = process.cpuUsage().user
  for (const part of [
    'person.',
    'person.j ',
    'person.j@ ',
    'person.j<',
    'person.j@corp. ',
    '"person.j"@"',
  ])
    expect(mentionOf(part.repeat(20_000), people)).toBeUndefined()
  expect(process.cpuUsage().user - before).toBeLessThan(3_000_000)
})

it.each(["o'neil+a-b_c", 'a!#$%&*/=?^`{|}~b', 'ö\u0308x', '\\^$.|?*+()[]{}'])(
  'an email address is found despite the special characters in its local part %s',
  (local) => {
    const persons = [identityOf(`${local}@two-words.example`)]
    expect(persons[0]?.kind).toBe('address')
    expect(mentionOf(`${local}@two-words.example`, persons)).toBe('alone')
    expect(mentionOf(`see ${local} [at] two-words.example`, persons)).toBe('within')
  },
)
