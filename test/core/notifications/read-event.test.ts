import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readBody } from '../../../src/core/notifications/body.ts'
import { EVENTS } from '../../../src/core/notifications/events.ts'
import { readEvent } from '../../../src/core/notifications/read-event.ts'

const NOW_MS = Date.parse('2026-07-08T02:30:00Z')
const OWNER = { accountId: 'acct-1', clientId: 'client-1' }
const read = (body: unknown) => readEvent(body, { owner: OWNER, nowMs: NOW_MS })
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value))

describe('the reader of notifications', () => {
  it('never throws, whatever the event contains', () => {
    const names = fc.constantFrom(...EVENTS.keys(), 'other')
    const anything = fc.jsonValue({ maxDepth: 4 })
    fc.assert(
      fc.property(names, anything, anything, (event, payload, object) => {
        for (const body of [payload, { event, payload }, { event, payload: { object } }]) {
          const { state, subjects, findings } = read(body)
          expect(state).not.toBe('unparsed')
          expect(subjects.length).toBeLessThanOrEqual(100)
          expect(findings.length).toBeLessThanOrEqual(22)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('finds persons and things at any depth, whatever characters their IDs and addresses have', () => {
    const object = {
      id: 'r1',
      list: [{ user_id: 'u\u0000\\1' }, { operator_id: 12, by: 'Zoe\u0301@Corp.Example' }],
      host_email: 'zo\u00e9@corp.example',
    }
    const { subjects } = read({ event: 'svcroom.updated', event_ts: NOW_MS, payload: { object } })
    expect(subjects).toEqual([
      'room:r1',
      'user:u\\u0000\\u005c1',
      'user:12',
      'email:zo\u00e9@corp.example',
    ])
  })

  it.each([
    ['workspace.reservation_updated', { id: 'r' }, 'reserved'],
    ['workspace.reservation_update', { id: 'r' }, 'reserved'],
    ['workspace.reservation_create', { id: 'r' }, 'reserved'],
    ['workspace.user_assign', { workspace_id: 'w', user_id: 'u' }, 'assigned'],
    ['visitor_management.invitation_checked_in', { invitation_id: 'i' }, 'checked_in'],
    ['visitor_management.checked_in', { invitation_id: 'i' }, 'checked_in'],
    ['visitor_management.invitation_checked_out', { invitation_id: 'i' }, 'checked_out'],
    ['visitor_management.invitation_update', { invitation_id: 'i' }, 'open'],
    ['svcroom.location_create', { id: 'l' }, 'present'],
  ])('accepts the form %s of an event name', (event, object, state) => {
    const told = read({ event, event_ts: 1_783_477_800_000, payload: { object } })
    expect(told).toMatchObject({ event, state: 'applied', says: { state } })
  })

  it('does not accept a name that only resembles a documented one', () => {
    for (const event of ['workspace.reservation_updates', 'workspace.updated_reservation', 'room'])
      expect(read({ event, event_ts: 1, payload: { object: { id: 'r' } } }).state).toBe('unknown')
  })

  it('reads digits, epoch times and a capitalized boolean without a finding', () => {
    const object = {
      id: 'r',
      alert_type: '5',
      component: 2,
      alert_time: '1783477800',
      alert_kind: '1',
    }
    const alert = read({ event: 'svcroom.alert', event_ts: '1783477800', payload: { object } })
    expect(alert).toMatchObject({ findings: [], says: { state: 'triggered' } })
    const made = {
      id: 'r',
      start_time: 1_783_477_800_000,
      end_time: '',
      assignment_checkin: 'True',
    }
    const event = 'workspace.reservation_created'
    expect(read({ event, event_ts: 1_783_477_800, payload: { object: made } }).findings).toEqual([])
  })

  it('reports deviations from the documents without their values', () => {
    const object = { id: 'r', room_name: 7, floor: 'canary', alert_type: 99, alert_kind: 'canary' }
    const { findings, state } = read({ event: 'svcroom.alert', payload: { object } })
    expect(findings).toEqual([
      'missing event_ts',
      'broken_value room_name',
      'unknown_value alert_type',
      'unknown_value alert_kind',
      'unknown_field floor',
    ])
    expect(state).toBe('unmatched')
  })

  it('keeps keys apart that contain characters which the database refuses', () => {
    const keys = ['r\u0000', 'r\u2400', 'r\\u0000', 'r\ud800', 'r\ufffd'].map((id) => {
      const { says } = read({ event: 'svcroom.created', event_ts: 1, payload: { object: { id } } })
      return says?.key.join()
    })
    expect(new Set(keys).size).toBe(5)
    expect(keys.join('')).not.toMatch(/\0/)
    expect(keys.every((key) => key?.isWellFormed())).toBe(true)
  })
})

describe('the hash of a body', () => {
  it('depends on the content, not on the order of fields or on spacing', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })), (record) => {
        const other = Object.fromEntries(Object.entries(record).toReversed())
        const spaced = Buffer.from(JSON.stringify(record, undefined, 3))
        expect(readBody(bytesOf(other)).hash).toEqual(readBody(bytesOf(record)).hash)
        expect(readBody(spaced).hash).toEqual(readBody(bytesOf(record)).hash)
      }),
      { numRuns: 100 },
    )
  })

  it('differs for long numbers that differ in one digit', () => {
    const [one, two] = ['12345678901234567890', '12345678901234567891'].map((digits) =>
      readBody(Buffer.from(`{"n": ${digits}}`)),
    )
    expect(one?.hash).not.toEqual(two?.hash)
    expect(one?.json).toBe('{"n":12345678901234567890}')
  })
})
