import { expect, test } from 'vitest'
import { FingerprintTable } from '../../../src/core/records/fingerprint-table.ts'
import { hashOf } from '../../../src/core/records/record-hash.ts'
import { keyHash } from '../../../src/core/records/record-key.ts'
import type { WireRecord } from '../../../src/core/values/json.ts'
import { phoneNumberAssignments, phoneNumbers } from '../../../src/resources/phone-numbers.ts'
import { recordingSessions } from '../../../src/resources/recordings.ts'
import { sessionReports } from '../../../src/resources/session-reports.ts'
import { users } from '../../../src/resources/users.ts'
import { whiteboardActivities } from '../../../src/resources/whiteboard-archives.ts'
import { take } from './take-page.ts'

test('a record without a usable key is quarantined with a reason; the page continues', () => {
  const text = '{"numbers":[{"number":"+4930"},7,{"id":"n1","number":"+4931"}]}'
  const { batch, reading } = take(phoneNumbers, text)
  expect(reading).toMatchObject({ received: 3, fresh: 1, quarantined: 2 })
  expect(batch.quarantined.map(({ reason }) => reason)).toEqual([
    'key field id is missing',
    'not an object',
  ])
})

test('a pending user without an ID has the email address as key, for any form of an empty ID', () => {
  const empty = [{}, { id: '', status: '' }, { id: null, status: null }]
  const pending = empty.map((fields, at) => ({ ...fields, email: `Guest${at}@Example.com` }))
  const { batch, reading } = take(users, JSON.stringify({ users: pending }), {
    filter: { status: 'pending' },
  })
  expect(reading).toMatchObject({ received: 3, fresh: 3, quarantined: 0 })
  expect(batch.fresh.map(({ key }) => key[0])).toEqual([
    'pending:guest0@example.com',
    'pending:guest1@example.com',
    'pending:guest2@example.com',
  ])
  const status = Object.keys(users.columns).indexOf('status')
  expect(batch.fresh.map(({ values }) => values[status])).toEqual(empty.map(() => 'pending'))
})

test('a record nested too deeply to keep exact numbers is quarantined; the page continues', () => {
  const nested = '['.repeat(9_000) + ']'.repeat(9_000)
  const deep = `{"session_id":"deep","total_size":12345678901234567890,"x":${nested}}`
  const page = `{"sessions":[${deep},{"session_id":"next"}]}`
  const { batch, reading } = take(recordingSessions, page)
  expect(reading).toMatchObject({ received: 2, fresh: 1, quarantined: 1 })
  expect(batch.quarantined).toMatchObject([{ reason: 'nested deeper than 64', payload: deep }])
})

test('neither stored nor quarantined records contain transient fields', () => {
  const secret = 'https://files.example/signed-token'
  const recording = `{"sessions":[{"session_id":"","recording_files":[{"download_url":"${secret}"}]},
    {"session_id":"s","recording_files":[{"id":"f","download_url":"${secret}"}],
    "download_access_token":"${secret}"}]}`
  const activity = `{"activities":[{"id":"a","download_url":"${secret}"},{"download_url":"${secret}"}]}`
  const taken = [
    take(recordingSessions, recording),
    take(whiteboardActivities, activity, { parent: ['s'] }),
  ]
  for (const { batch } of taken) {
    expect(batch.fresh).toHaveLength(1)
    expect(batch.quarantined).toHaveLength(1)
    expect(JSON.stringify([batch.fresh, batch.quarantined])).not.toContain('signed-token')
  }
})

test('an undocumented secret is not stored, with or without escapes in its record', () => {
  const secret = '"nested":[{"passcode":"signed-token"}],"host_key":"signed-token"'
  const text = `{"numbers":[{"id":"n",${secret}},{"id":"m","name":"a\\u0000",${secret}}]}`
  const { batch } = take(phoneNumbers, text, { nestedStreams: [phoneNumberAssignments] })
  expect(batch.fresh.map(({ key }) => key)).toEqual([['n'], ['m']])
  expect(JSON.stringify(batch)).not.toContain('signed-token')
})

test('an audited record keeps its bytes, and a new field order counts as a change', () => {
  const one = '{"activities":[{ "id":"a" ,"type":"draw",\t"content":"x"}]}'
  const { batch, table } = take(whiteboardActivities, one, { parent: ['s'] })
  expect(batch.fresh[0]?.source).toBe('{ "id":"a" ,"type":"draw",\t"content":"x"}')
  table.forgetSeen()
  expect(take(whiteboardActivities, one, { parent: ['s'], table }).reading.unchanged).toBe(1)
  const other = '{"activities":[{"type":"draw","id":"a","content":"x"}]}'
  table.forgetSeen()
  expect(take(whiteboardActivities, other, { parent: ['s'], table }).reading.changed).toBe(1)
})

test('only the window that contains a row’s start owns the row', () => {
  const owned = { fromMs: Date.parse('2026-06-01'), toMs: Date.parse('2026-06-15') }
  const row = (id: string, start_time: unknown) => ({ id, start_time })
  const rows = [
    row('first', '2026-06-01T00:00:00Z'),
    row('last', '2026-06-15T01:59:59+02:00'),
    row('before', '2026-05-31T23:59:59Z'),
    row('after', '2026-06-15T00:00:00Z'),
    row('unknown', 'soon'),
  ]
  const { batch, reading } = take(sessionReports, JSON.stringify({ sessions: rows }), { owned })
  expect(batch.fresh.map(({ key }) => key[0])).toEqual(['first', 'last', 'unknown'])
  expect(reading.ignored).toBe(2)
})

test('a row shown by two windows stays in its first window, unless it has just moved', () => {
  const june = { fromMs: Date.parse('2026-06-01'), toMs: Date.parse('2026-06-15') }
  const held = { id: 'a', start_time: '2026-06-14T12:00:00Z' }
  const text = JSON.stringify({ sessions: [held] })
  const later = { fromMs: june.toMs, toMs: Date.parse('2026-06-29') }
  const margin = take(sessionReports, text, { owned: later })
  expect(margin.reading).toMatchObject({ received: 1, ignored: 1 })

  // The row moved out of the later window. Until the move is written, it must not be missing there.
  const own = new FingerprintTable()
  own.add(Buffer.concat([keyHash(['a']), hashOf('{"id":"a","start_time":"2026-06-15T12:00:00Z"}')]))
  const moved = take(sessionReports, text, { owned: later, table: own })
  expect(moved.reading).toMatchObject({ changed: 1, ignored: 0 })
  expect(own.countMissing()).toBe(0)
})

test('siblings with equal keys are distinguished by an ordinal', () => {
  const assigned = { assigned_to_type: 'User', assigned_to_id: 'u' }
  const text = JSON.stringify({
    numbers: [
      { id: 'n', assigned_list: [assigned, assigned, { ...assigned, source_channel: 'SMS' }] },
    ],
  })
  const { batch } = take(phoneNumbers, text, { nestedStreams: [phoneNumberAssignments] })
  expect(batch.fresh[0]?.children[0]?.rows.map(({ key }) => key.slice(3))).toEqual([
    ['', '0'],
    ['', '1'],
    ['SMS', '0'],
  ])
})

test('an invalid nested list is quarantined, not treated as empty', () => {
  const text = JSON.stringify({ numbers: [{ id: 'n', assigned_list: 'none' }] })
  const { batch, reading } = take(phoneNumbers, text, { nestedStreams: [phoneNumberAssignments] })
  expect(batch.quarantined).toMatchObject([
    { reason: 'not an object', stream: { name: 'phone_number_assignments' } },
  ])
  expect(batch.fresh[0]?.children).toMatchObject([{ rows: [], whole: false }])
  expect(reading).toMatchObject({ fresh: 1, quarantined: 0, nested: 1 })
})

test('a single nested record without a list counts as a list of one', () => {
  const record = { id: 'n', assigned_list: { assigned_to_id: 'u' } }
  const text = JSON.stringify({ numbers: [record, { id: 'm', assigned_list: {} }] })
  const { batch, reading } = take(phoneNumbers, text, { nestedStreams: [phoneNumberAssignments] })
  expect(batch.fresh.map(({ children }) => children[0]?.rows.map(({ key }) => key))).toEqual([
    [['n', '', 'u', '', '0']],
    [],
  ])
  expect(reading).toMatchObject({ fresh: 2, quarantined: 0, nested: 0 })
})

test('a record with a quarantined part counts as changed in each read', () => {
  const record = { id: 'n', assigned_list: [{ assigned_to_id: 'u' }, { assigned_to_id: true }] }
  const text = JSON.stringify({ numbers: [record] })
  const nestedStreams = [phoneNumberAssignments]
  const { batch, table } = take(phoneNumbers, text, { nestedStreams })
  const [row] = batch.fresh
  expect(row?.children).toMatchObject([{ rows: [{ key: ['n', '', 'u', '', '0'] }], whole: false }])
  // A second page of the same read does not count it again.
  expect(take(phoneNumbers, text, { nestedStreams, table }).reading).toMatchObject({ nested: 0 })
  const held = new FingerprintTable()
  held.add(Buffer.concat([keyHash(['n']), row?.hash ?? Buffer.of()]))
  const next = take(phoneNumbers, text, { nestedStreams, table: held })
  expect(next.reading).toMatchObject({ changed: 1, nested: 1 })
  expect(next.batch.known[0]?.hash).toEqual(row?.hash)
})

test('a record with excessive nesting is quarantined', () => {
  const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
  const { reading } = take(phoneNumbers, `{"numbers":[{"id":"n","location":${deep}}]}`)
  expect(reading).toMatchObject({ received: 1, quarantined: 1, fresh: 0 })
})

test('a record with many brackets on one level is accepted', () => {
  const flat = `[${'[{}],'.repeat(5000)}"}{]["]`
  const { reading } = take(phoneNumbers, `{"numbers":[{"id":"n","location":${flat}}]}`)
  expect(reading).toMatchObject({ quarantined: 0, fresh: 1 })
})

test('field names like __proto__ are treated as data', () => {
  const { batch } = take(
    phoneNumbers,
    '{"numbers":[{"id":"n","__proto__":{"polluted":true},"constructor":1}]}',
  )
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  expect(batch.fresh[0]?.raw).toContain('__proto__')
})

test('a trash record is ignored if its window was not read, because the recording may be live', () => {
  const day = (name: string) => Date.parse(`${name}T00:00:00Z`)
  const text = `{"sessions":[{"session_id":"a","start_time":"2026-05-02T10:00:00Z"},
    {"session_id":"b","start_time":"2026-06-02T10:00:00Z"},{"session_id":"c"}]}`
  const unread = [{ fromMs: day('2026-05-01'), toMs: day('2026-05-15') }]
  const { batch, reading } = take(recordingSessions, text, { unread })
  expect(batch.fresh.map(({ key }) => key)).toEqual([['b']])
  expect(reading).toMatchObject({ received: 3, fresh: 1, ignored: 2 })
})

test('records outside the requested range are counted', () => {
  const day = (name: string) => Date.parse(`${name}T00:00:00Z`)
  const shown = { fromMs: day('2026-06-01'), toMs: day('2026-06-15') }
  const at = (start_time: string) => ({ session_id: start_time, start_time })
  const times = ['2026-06-02T10:00:00Z', '2026-06-15T10:00:00Z', '2026-05-02T10:00:00Z']
  const text = JSON.stringify({ sessions: times.map(at) })
  const { reading } = take(recordingSessions, text, { shown })
  expect(reading).toMatchObject({ received: 3, fresh: 3, outside: 2, elsewhere: 1 })
})

test('a page of another list counts the records up to the one that reveals this', () => {
  const disproved = { by: ({ id }: WireRecord) => id === 'b', todo: '' }
  const text = '{"numbers":[{"id":"a"},{"id":"b"},{"id":"c"}]}'
  const { reading, other, batch } = take(phoneNumbers, text, { disproved })
  expect(other).toBe('other_list')
  expect(reading).toMatchObject({ received: 2, fresh: 1 })
  expect(batch.fresh).toMatchObject([{ key: ['a'], slice: 'slice' }])
})

test('a second read reports each filter by which a record was found, also for known records', () => {
  const [a, p] = ['active', 'pending'].map((status) => ({ id: status, email: '', status }))
  const table = new FingerprintTable()
  for (const id of ['active', 'pending'])
    table.add(Buffer.concat([keyHash([id]), hashOf('before')]))
  const read = (status: string, sequence: number, ...shown: unknown[]) =>
    take(users, JSON.stringify({ users: shown }), { filter: { status }, table, sequence })
  read('pending', 1, a, p)
  read('active', 2, a)
  const { reading, said } = read('pending', 3, a, p)
  expect(reading).toMatchObject({ received: 2, unchanged: 0, changed: 1, ignored: 1 })
  expect([...said].toSorted()).toEqual(['active', 'pending'])
})
