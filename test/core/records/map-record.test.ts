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

test('stores and reports an unknown value of an enumeration', () => {
  const { columns, findings } = cut(sessionReports, { ...session, audio_quality: 'superb' })
  expect(columns.audio_quality).toBe('superb')
  expect(findings).toEqual([{ kind: 'unknown_value', path: 'audio_quality', example: 'superb' }])
})

test('reports only the length of a long value or name, as a part could be half an address', () => {
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

test('stores a broken value as null and reports its type, never its content', () => {
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

test('reports a null in a list of texts and stores the other texts', () => {
  const row = { id: 'n', number: '+1', capability: ['Incoming', null, 'Outgoing'] }
  const { columns, findings } = cut(phoneNumbers, row)
  expect(columns.capability).toBe('{"Incoming","Outgoing"}')
  expect(findings).toEqual([
    { kind: 'broken_value', path: 'capability', example: 'null in an array' },
  ])
})

test('stores an absent, null or empty field as null without a finding', () => {
  const { columns, findings } = cut(sessionReports, { ...session, end_time: null, duration: '' })
  expect(columns).toMatchObject({ end_time: null, duration: null, user_count: null })
  expect(findings).toEqual([])
})

test('reports that a record lacks a field that every record must have', () => {
  expect(cut(sessionReports, { id: 's' }).findings).toEqual([
    { kind: 'missing_value', path: 'start_time', example: '' },
  ])
})

test('reports an undocumented field', () => {
  expect(cut(sessionReports, { ...session, mood: 1 }).findings).toEqual([
    { kind: 'unknown_field', path: 'mood', example: 'number' },
  ])
})

test('keeps every digit of an integer past 2^53, and treats one past 2^63 as broken', () => {
  const record = parseLossless('{"session_id":"s","total_size":9007199254740993}') as WireRecord
  expect(cut(recordingSessions, record).columns.total_size).toBe('9007199254740993')
  const tooLarge = parseLossless(
    '{"session_id":"s","total_size":9223372036854775808}',
  ) as WireRecord
  expect(cut(recordingSessions, tooLarge).columns.total_size).toBeNull()
})

test('fills columns from nested fields and arrays', () => {
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

test('replaces NUL and lone surrogates, and marks the row as cleaned', () => {
  expect(cleanText('a\0b')).toBe('a\u2400b')
  expect(cleanText('a\ud800b')).toBe('a\ufffdb')
  expect(cut(sessionReports, { id: 's', session_name: 'a\0b' })).toMatchObject({ cleaned: true })
  expect(cut(sessionReports, { id: 's', session_name: 'plain 😀' })).toMatchObject({
    cleaned: false,
  })
})

test('keeps escaped backslashes when it cleans JSON text', () => {
  const value = { name: 'nul \0, text \\u0000, lone \ud800, pair 😀' }
  expect(JSON.parse(cleanJson(JSON.stringify(value)))).toEqual({
    name: 'nul \u2400, text \\u0000, lone \ufffd, pair 😀',
  })
})
