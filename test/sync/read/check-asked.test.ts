import { describe, expect, it } from 'vitest'
import type { WireRecord } from '../../../src/core/values/json.ts'
import { listRecordings, recordingSessions } from '../../../src/resources/recordings.ts'
import { users } from '../../../src/resources/users.ts'
import { checkAsked, otherRange, refuseMissingField } from '../../../src/sync/read/check-asked.ts'
import type { RecognisedPage } from '../../../src/sync/read/recognise.ts'
import { newReading } from '../../../src/sync/run/slice-reading.ts'

const shown = { fromMs: Date.parse('2026-07-01'), toMs: Date.parse('2026-07-16') }

/** The reading of a window whose response has sessions with these start times. */
function answered(...times: string[]) {
  const slice = { request: { slice: 'w', arguments: { query: {} }, filter: {} }, shown }
  const planned = slice as unknown as Parameters<typeof newReading>[0]
  const page = { parsedAt: (at: number) => ({ start_time: times[at] }) } as RecognisedPage
  const context = { stream: recordingSessions, slice: planned, alone: true }
  const found = [...times.keys()].map((at) => checkAsked(context, page, { at, own: false }))
  const elsewhere = found.filter((stray) => stray === 'elsewhere').length
  return { found, reading: { ...newReading(planned), received: times.length, elsewhere } }
}

it('rows up to a day outside the range are counted, and never make a window fail', () => {
  const sparse = answered('2026-07-16T21:00:00Z')
  expect(sparse.found).toEqual(['outside'])
  expect(otherRange(recordingSessions, sparse.reading)).toBeUndefined()
})

it('a window with most rows more than a day outside the range fails', () => {
  const other = answered('2026-07-03T00:00:00Z', '2026-05-03T00:00:00Z', '2026-05-04T00:00:00Z')
  expect(other.found).toEqual([undefined, 'elsewhere', 'elsewhere'])
  expect(otherRange(recordingSessions, other.reading)?.message).toContain(listRecordings.id)
})

describe('a record of the user list', () => {
  const lists = users.sync.kind === 'snapshot' ? users.sync.requests() : []
  const offer = (of: 'any status' | 'status=active', record: object) => () => {
    const request = lists.find(({ slice }) => slice === of)
    const slice = { request } as unknown as Parameters<typeof refuseMissingField>[1]
    const context = { ordinal: 0, filter: request?.filter ?? {} }
    refuseMissingField(users, slice, { record: record as WireRecord, context })
  }

  it.each([{ id: 'u' }, { id: 'u', status: null }, { id: 'u', status: '' }])(
    'is refused without a status in the unfiltered list: %j',
    (record) => {
      expect(offer('any status', record)).toThrow(/a record has no status/)
    },
  )

  it('is accepted in the unfiltered list with a status, or as an invited user without an ID', () => {
    expect(offer('any status', { id: 'u', status: 'suspended' })).not.toThrow()
    expect(offer('any status', { email: 'a@corp.example' })).not.toThrow()
  })

  it('needs no status in a list by status', () => {
    expect(offer('status=active', { id: 'u' })).not.toThrow()
  })
})
