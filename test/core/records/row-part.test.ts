import { describe, expect, it } from 'vitest'
import { type PartFields, partText, verdictOn } from '../../../src/core/records/row-part.ts'
import { parseLossless } from '../../../src/core/values/json.ts'
import { phoneNumbers } from '../../../src/resources/phone-numbers.ts'
import { users } from '../../../src/resources/users.ts'

const SALES: PartFields = { dept: ['Sales', 'Sales EU'] }
const SITE: PartFields = { 'site.site_id': ['site-Ams'] }

describe('a record of a stream with a part', () => {
  it.each([
    ['one of the values', SALES, '{"dept": "Sales EU"}', 'kept'],
    ['another value', SALES, '{"dept": "Support"}', 'outside'],
    ['the value in another letter case', SALES, '{"dept": "sales"}', 'outside'],
    ['the value with a blank', SALES, '{"dept": "Sales "}', 'outside'],
    ['no such field', SALES, '{}', 'outside'],
    ['no such field, if null is kept', { dept: [null] }, '{}', 'kept'],
    ['null, if null is kept', { dept: ['Sales', null] }, '{"dept": null}', 'kept'],
    ['an empty text, if null is kept', { dept: [null] }, '{"dept": ""}', 'kept'],
    ['a value, if only null is kept', { dept: [null] }, '{"dept": "Sales"}', 'outside'],
    ['an object for a text', SALES, '{"dept": {"name": "Sales"}}', { unreadable: 'dept' }],
    ['a list of lists', SALES, '{"dept": [["Sales"]]}', { unreadable: 'dept' }],
    ['a number for a number', { type: [2] }, '{"type": 2}', 'kept'],
    ['a number as text', { type: [2] }, '{"type": "2"}', 'kept'],
    ['a long number', { type: ['90071992547409931'] }, '{"type": 90071992547409931}', 'kept'],
    [
      'another long number',
      { type: ['90071992547409931'] },
      '{"type": 90071992547409932}',
      'outside',
    ],
    ['true', { use_pmi: [true] }, '{"use_pmi": true}', 'kept'],
    ['a list with one of the values', { group_ids: ['b'] }, '{"group_ids": ["a", "b"]}', 'kept'],
    ['a list with none of them', { group_ids: ['c'] }, '{"group_ids": ["a", "b"]}', 'outside'],
    ['an empty list, if null is kept', { group_ids: [null] }, '{"group_ids": []}', 'kept'],
    ['an empty list', { group_ids: ['a'] }, '{"group_ids": []}', 'outside'],
    ['one of two fields', { ...SALES, type: [2] }, '{"dept": "Sales", "type": 1}', 'outside'],
    ['both fields', { ...SALES, type: [2] }, '{"dept": "Sales", "type": 2}', 'kept'],
    [
      'one field outside and one unreadable',
      { dept: ['Sales'], type: [2] },
      '{"dept": "Support", "type": {}}',
      { unreadable: 'type' },
    ],
  ] as const)('is classified by its fields: %s', (_, fields, source, verdict) => {
    const record = parseLossless(source) as Record<string, unknown>
    expect(verdictOn(users, fields, record)).toEqual(verdict)
  })

  it.each([
    ['the value in the object', '{"site": {"site_id": "site-Ams"}}', 'kept'],
    ['another value in the object', '{"site": {"site_id": "site-Lon"}}', 'outside'],
    ['an object without the field', '{"site": {"name": "Ams"}}', 'outside'],
    ['no object', '{}', 'outside'],
    ['null for the object', '{"site": null}', 'outside'],
    ['a text for the object', '{"site": "site-Ams"}', { unreadable: 'site.site_id' }],
    [
      'a list for the object',
      '{"site": [{"site_id": "site-Ams"}]}',
      { unreadable: 'site.site_id' },
    ],
    ['a long number for the object', '{"site": 90071992547409931}', { unreadable: 'site.site_id' }],
  ])('is classified by the field of an object: %s', (_, source, verdict) => {
    expect(verdictOn(phoneNumbers, SITE, parseLossless(source) as Record<string, unknown>)).toEqual(
      verdict,
    )
  })
})

it('describes a part in words, with at most ten values of a field', () => {
  expect(partText('users', { dept: ['Sales', null], type: [2] })).toBe(
    'users where dept is Sales or empty and type is 2',
  )
  expect(partText('users', { dept: 'a b c d e f g h i j k l'.split(' ') })).toMatch(
    / or j or one of 2 more values$/,
  )
})
