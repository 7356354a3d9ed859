import { expect, it } from 'vitest'
import { codeWords, wordsFor } from '../../../src/core/values/code-words.ts'
import { declaredStreams } from '../../../src/resources/declared.ts'

it.each([
  ['SVC_CONTACT_CENTER', 'Contact center'],
  ['UNALLOCATED', 'Unallocated'],
  ['SvcPorted', 'Ported'],
  ['TollFree', 'Toll-free'],
  ['EmergencyCalls', 'Emergency calls'],
  ['LocalSurvivabilityEmergencyNumberPool', 'Local survivability emergency number pool'],
  ['Not_Submitted', 'Not submitted'],
  ['shared_screen_with_speaker_view(CC)', 'Shared screen with speaker view (CC)'],
  ['MP4', 'MP4'],
  ['TRANSCRIPT', 'Transcript'],
  // A value that the documents do not have yet.
  ['SVC_EVENTS_PRO', 'Events pro'],
  ['SVC_CONTACT_CENTER, SVC_PHONE', 'Contact center, Phone'],
])('the code %s is shown in words as %s', (code, words) => expect(codeWords(code)).toBe(words))

it.each(['(none)', 'Contact center usage', 'participant video', '', 'Ünïtel', '+4930901820'])(
  'text that is not a code is shown unchanged: %j',
  (text) => expect(codeWords(text)).toBe(text),
)

it.each([
  ['NL', 'Netherlands'],
  ['GB', 'United Kingdom'],
  // No country has this code.
  ['QX', 'QX'],
  ['(none)', '(none)'],
  ['others', 'others'],
])('the country code %s is shown as %s', (code, name) =>
  expect(wordsFor(code, 'country')).toBe(name),
)

it('each documented value is shown in words, and different values of a field differ', () => {
  const fields = declaredStreams.flatMap(({ name, columns }) =>
    Object.entries(columns).flatMap(([column, { known = [] }]) => {
      const codes = known.filter((value) => typeof value === 'string')
      return codes.length === 0 ? [] : [{ field: `${name}.${column}`, codes }]
    }),
  )
  expect(fields.length).toBeGreaterThan(20)
  for (const { field, codes } of fields) {
    const words = codes.map(codeWords)
    expect([field, new Set(words).size]).toEqual([field, codes.length])
    for (const text of words) expect([field, text]).toEqual([field, expect.stringMatching(WORDS)])
  }
})

/** A capital letter first, and neither an underscore nor a capital inside a word. */
const WORDS = /^(?!.*_)(?!.*[a-z][A-Z])[A-Z]/
