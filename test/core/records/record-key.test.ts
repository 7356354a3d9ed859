import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keyHash, keyOf, wireKey } from '../../../src/core/records/record-key.ts'
import { phoneNumberAssignments } from '../../../src/resources/phone-numbers.ts'
import { recordingFiles } from '../../../src/resources/recordings.ts'
import { users } from '../../../src/resources/users.ts'
import {
  whiteboardActivities,
  whiteboardParticipants,
} from '../../../src/resources/whiteboard-archives.ts'

const context = { ordinal: 0, filter: {} }

test('the key of a pending user is the email address in lower case', () => {
  expect(keyOf(users, { email: 'A.Person@Example.COM' }, context)).toEqual({
    key: ['pending:a.person@example.com'],
  })
  expect(keyOf(users, { id: '', email: 'a@example.com' }, context)).toEqual({
    key: ['pending:a@example.com'],
  })
})

test('the reason why a record has no usable key is returned', () => {
  expect(keyOf(users, {}, context)).toEqual({ refused: 'key field id is missing' })
  expect(keyOf(users, { id: { nested: true } }, context)).toEqual({
    refused: 'key field id is of type object',
  })
  expect(keyOf(users, { id: 'x'.repeat(513) }, context)).toEqual({
    refused: 'key field id is longer than 512',
  })
  const parent = { parent: { key: ['s'], record: undefined }, ...context }
  expect(keyOf(whiteboardActivities, { id: '' }, parent)).toEqual({
    refused: 'key field id is empty',
  })
})

test('the key of a recording file without an ID is its type and times', () => {
  const parent = { parent: { key: ['s'], record: undefined }, ordinal: 1, filter: {} }
  const record = {
    file_type: 'CC',
    recording_start: '2026-05-01T10:00:00Z',
    recording_end: '2026-05-01T11:00:00Z',
  }
  expect(keyOf(recordingFiles, record, parent)).toEqual({
    key: ['s', 'CC@2026-05-01T10:00:00Z@2026-05-01T11:00:00Z', '1'],
  })
})

test('the key of a nested record has an empty part for a missing field', () => {
  const parent = { parent: { key: ['n'], record: undefined }, ordinal: 0, filter: {} }
  expect(
    keyOf(phoneNumberAssignments, { assigned_to_type: 'User', assigned_to_id: 'u' }, parent),
  ).toEqual({
    key: ['n', 'User', 'u', '', '0'],
  })
})

test('two different keys stay different after escaping', () => {
  const unit = fc.constantFrom(
    'a',
    '\0',
    '\u001f',
    '\ud800',
    '\udc00',
    '\ufffd',
    '/',
    '+',
    '\\',
    'u0000',
    'ud800',
  )
  const id = fc.array(unit, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(id, id, (one, other) => {
      fc.pre(one !== other)
      const key = (value: string): string => {
        const found = keyOf(users, { id: value }, context)
        if ('refused' in found) throw new Error(found.refused)
        expect(found.key[0]?.isWellFormed()).toBe(true)
        expect(wireKey(found.key[0] ?? '')).toBe(value)
        return keyHash(found.key).toString('hex')
      }
      expect(key(one)).not.toBe(key(other))
    }),
    { numRuns: 1000 },
  )
})

test('the key of a nested record includes the stored key of its parent', () => {
  const parent = { parent: { key: ['a\\u005cb'], record: undefined }, ordinal: 0, filter: {} }
  expect(keyOf(whiteboardActivities, { id: 'x\\y' }, parent)).toEqual({
    key: ['a\\u005cb', 'x\\u005cy'],
  })
})

test('a record key is equal for all formats of a time, and missing for an unreadable time', () => {
  const parent = { parent: { key: ['s'], record: undefined }, ...context }
  const times = ['2026-05-01T10:00:00Z', '20260501T120000+0200', 'Fri, 01 May 2026 10:00:00 GMT']
  const keys = times.map((join_whiteboard_time) =>
    keyOf(whiteboardParticipants, { user_id: 'u', join_whiteboard_time }, parent),
  )
  expect(new Set(keys.map((key) => JSON.stringify(key))).size).toBe(1)
  for (const join_whiteboard_time of ['soon', '2026-02-30T10:00:00Z', {}, true])
    expect(keyOf(whiteboardParticipants, { join_whiteboard_time }, parent)).toEqual({
      refused: 'key field join_whiteboard_time is a time that cannot be read',
    })
  for (const none of [{}, { join_whiteboard_time: null }, { join_whiteboard_time: '' }])
    expect(keyOf(whiteboardParticipants, none, parent)).toMatchObject({
      key: ['s', '', '', '', '0'],
    })
  const file = { file_type: 'CC', recording_start: 'soon', recording_end: '2026-05-01T11:00:00Z' }
  expect(keyOf(recordingFiles, file, parent)).toEqual({
    refused: 'key field file_key is a time that cannot be read',
  })
  expect(keyOf(recordingFiles, { ...file, id: 'f' }, parent)).toMatchObject({
    key: ['s', 'f', '0'],
  })
})
