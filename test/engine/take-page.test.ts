import { expect, test } from 'vitest'
import type { Page } from '../../src/api/client.ts'
import { FingerprintTable } from '../../src/core/fingerprint-table.ts'
import type { Batch } from '../../src/core/load.ts'
import { parseLossless } from '../../src/core/lossless-json.ts'
import type { Stream, Window, WireRecord } from '../../src/core/stream.ts'
import { newReading } from '../../src/engine/slice-reading.ts'
import { takePage } from '../../src/engine/take-page.ts'
import { phoneNumberAssignments, phoneNumbers } from '../../src/resources/phone-numbers.ts'
import { recordingSessions } from '../../src/resources/recordings.ts'
import { sessionReports } from '../../src/resources/session-reports.ts'
import { whiteboardActivities } from '../../src/resources/whiteboard-archives.ts'

interface Given {
  owned?: Window
  parent?: string[]
  cuts?: Stream[]
  table?: FingerprintTable
  sequence?: number
}

function take(stream: Stream, text: string, given: Given = {}) {
  const items = stream.operation.paging?.items ?? ''
  const body = parseLossless(text) as Record<string, WireRecord[]>
  const page: Page = {
    records: body[items] ?? [],
    text,
    nextPageToken: undefined,
    total: undefined,
    echo: {},
    requestedAtMs: 0,
    serverDateMs: undefined,
  }
  const batch: Batch = { fresh: [], known: [], quarantined: [], findings: [] }
  const request = { slice: 'slice', arguments: {}, filter: {} }
  const reading = newReading({
    request,
    owned: given.owned,
    parent: given.parent,
    history: undefined,
  })
  const table = given.table ?? new FingerprintTable()
  takePage(
    { stream, cuts: given.cuts ?? [], table, batch, reading, sequence: given.sequence ?? 1 },
    page,
  )
  return { batch, reading, table }
}

test('a record without a usable key is set aside with its reason, and the page goes on', () => {
  const text = '{"numbers":[{"number":"+4930"},7,{"id":"n1","number":"+4931"}]}'
  const { batch, reading } = take(phoneNumbers, text)
  expect(reading).toMatchObject({ received: 3, fresh: 1, quarantined: 2 })
  expect(batch.quarantined.map(({ reason }) => reason)).toEqual([
    'key field id is missing',
    'not an object',
  ])
})

test('what is set aside or stored never holds a transient field', () => {
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

test('an audited record keeps its bytes, and its order of fields is part of what changed', () => {
  const one = '{"activities":[{ "id":"a" ,"type":"draw",\t"content":"x"}]}'
  const { batch, table } = take(whiteboardActivities, one, { parent: ['s'] })
  expect(batch.fresh[0]?.source).toBe('{ "id":"a" ,"type":"draw",\t"content":"x"}')
  table.forgetSeen()
  expect(take(whiteboardActivities, one, { parent: ['s'], table }).reading.unchanged).toBe(1)
  const other = '{"activities":[{"type":"draw","id":"a","content":"x"}]}'
  table.forgetSeen()
  expect(take(whiteboardActivities, other, { parent: ['s'], table }).reading.changed).toBe(1)
})

test('only the window that holds the start owns a row', () => {
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

test('siblings that share their key parts are told apart by an ordinal', () => {
  const assigned = { assigned_to_type: 'User', assigned_to_id: 'u' }
  const text = JSON.stringify({
    numbers: [
      { id: 'n', assigned_list: [assigned, assigned, { ...assigned, source_channel: 'SMS' }] },
    ],
  })
  const { batch } = take(phoneNumbers, text, { cuts: [phoneNumberAssignments] })
  expect(batch.fresh[0]?.children[0]?.rows.map(({ key }) => key.slice(3))).toEqual([
    ['', '0'],
    ['', '1'],
    ['SMS', '0'],
  ])
})

test('a nested list that is no list is set aside, not taken for an empty one', () => {
  const text = JSON.stringify({ numbers: [{ id: 'n', assigned_list: 'none' }] })
  const { batch } = take(phoneNumbers, text, { cuts: [phoneNumberAssignments] })
  expect(batch.quarantined).toMatchObject([
    { reason: 'not an object', stream: { name: 'phone_number_assignments' } },
  ])
})

test('a record nested deeper than any honest one is set aside', () => {
  const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
  const { reading } = take(phoneNumbers, `{"numbers":[{"id":"n","location":${deep}}]}`)
  expect(reading).toMatchObject({ received: 1, quarantined: 1, fresh: 0 })
})

test('names like __proto__ are data', () => {
  const { batch } = take(
    phoneNumbers,
    '{"numbers":[{"id":"n","__proto__":{"polluted":true},"constructor":1}]}',
  )
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  expect(batch.fresh[0]?.raw).toContain('__proto__')
})
