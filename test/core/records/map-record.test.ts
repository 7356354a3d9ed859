import { expect, test } from 'vitest'
import type { Stream } from '../../../src/core/define/stream.ts'
import { cleanJson, cleanText, cutRow } from '../../../src/core/records/map-record.ts'
import { keyOf } from '../../../src/core/records/record-key.ts'
import { parseLossless, type WireRecord } from '../../../src/core/values/json.ts'
import { phoneNumbers } from '../../../src/resources/phone-numbers.ts'
import { recordingSessions } from '../../../src/resources/recordings.ts'
import { sessionReports } from '../../../src/resources/session-reports.ts'

const context = { ordinal: 0, filter: {} }
const session = { id: 's', start_time: '2026-05-01T10:00:00Z' }

function cut(stream: Stream, record: WireRecord) {
  const found = keyOf(stream, record, context)
  if ('refused' in found) throw new Error(found.refused)
  const row = cutRow(stream, record, { key: found.key, context })
  return {
    ...row,
    columns: Object.fromEntries(
      Object.keys(stream.columns).map((name, at) => [name, row.values[at]]),
    ),
  }
}

test('an unknown value of an enumeration is stored and reported', () => {
  const { columns, findings } = cut(sessionReports, { ...session, audio_quality: 'superb' })
  expect(columns.audio_quality).toBe('superb')
  expect(findings).toEqual([{ kind: 'unknown_value', path: 'audio_quality', example: 'superb' }])
})

test('only the length of a long unknown value or name is reported', () => {
  const text = `${'x'.repeat(85)} person.j@corp.example`
  const { columns, findings } = cut(sessionReports, {
    ...session,
    audio_quality: text,
    [text.repeat(2)]: 1,
  })
  expect(columns.audio_quality).toBe(text)
  expect(findings).toEqual([
    { kind: 'unknown_value', path: 'audio_quality', example: '(107 characters)' },
    { kind: 'unknown_field', path: '(214 characters)', example: 'number' },
  ])
})

test('a value of the wrong type is stored as null, and reported without its content', () => {
  const { columns, findings } = cut(sessionReports, {
    id: 's',
    start_time: 'yesterday',
    user_count: [7],
  })
  expect(columns).toMatchObject({ start_time: null, user_count: null })
  expect(findings).toEqual([
    { kind: 'broken_value', path: 'start_time', example: 'string' },
    { kind: 'broken_value', path: 'user_count', example: 'array' },
  ])
})

test('a null in a list of texts is reported, and the other texts are stored', () => {
  const row = { id: 'n', number: '+1', capability: ['Incoming', null, 'Outgoing'] }
  const { columns, findings } = cut(phoneNumbers, row)
  expect(columns.capability).toBe('{"Incoming","Outgoing"}')
  expect(findings).toEqual([
    { kind: 'broken_value', path: 'capability', example: 'null in an array' },
  ])
})

test('an absent, null or empty field is stored as null without a finding', () => {
  const { columns, findings } = cut(sessionReports, { ...session, end_time: null, duration: '' })
  expect(columns).toMatchObject({ end_time: null, duration: null, user_count: null })
  expect(findings).toEqual([])
})

test('a record without a required field is reported', () => {
  expect(cut(sessionReports, { id: 's' }).findings).toEqual([
    { kind: 'missing_value', path: 'start_time', example: '' },
  ])
})

test('an undocumented field is reported', () => {
  expect(cut(sessionReports, { ...session, mood: 1 }).findings).toEqual([
    { kind: 'unknown_field', path: 'mood', example: 'number' },
  ])
})

test('an integer above 2^53 keeps every digit, and an integer above 2^63 counts as unreadable', () => {
  const record = parseLossless('{"session_id":"s","total_size":9007199254740993}') as WireRecord
  expect(cut(recordingSessions, record).columns.total_size).toBe('9007199254740993')
  const tooLarge = parseLossless(
    '{"session_id":"s","total_size":9223372036854775808}',
  ) as WireRecord
  expect(cut(recordingSessions, tooLarge).columns.total_size).toBeNull()
})

test('columns can be filled from nested fields and arrays', () => {
  const { columns } = cut(phoneNumbers, {
    id: 'n',
    number: '+14155550100',
    capability: ['Incoming', 'with "quotes" and \\'],
    carrier: { code: 7, name: 'Carrier' },
    emergency_address: { city: 'Oslo' },
  })
  expect(columns).toMatchObject({
    number: '+14155550100',
    capability: '{"Incoming","with \\"quotes\\" and \\\\"}',
    carrier_code: '7',
    carrier_name: 'Carrier',
    emergency_address: '{"city":"Oslo"}',
  })
})

test('NUL and lone surrogates in a record are replaced, and its row is marked as cleaned', () => {
  expect(cleanText('a\0b')).toBe('a\u2400b')
  expect(cleanText('a\ud800b')).toBe('a\ufffdb')
  expect(cut(sessionReports, { id: 's', session_name: 'a\0b' })).toMatchObject({ cleaned: true })
  expect(cut(sessionReports, { id: 's', session_name: 'plain 😀' })).toMatchObject({
    cleaned: false,
  })
})

test('escaped backslashes are kept when JSON text is cleaned', () => {
  const value = { name: 'nul \0, text \\u0000, lone \ud800, pair 😀' }
  expect(JSON.parse(cleanJson(JSON.stringify(value)))).toEqual({
    name: 'nul \u2400, text \\u0000, lone \ufffd, pair 😀',
  })
})
