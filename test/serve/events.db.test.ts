import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SCENARIO_NAMES } from '../../sandbox/notices/scenarios.ts'
import { EVENTS } from '../../src/core/notifications/events.ts'
import { DOCUMENTED } from './documented-events.ts'
import { openStage, SECRETS, type Stage, type Stored, send } from './stage.ts'

let stage: Stage
let rows: Stored[]
beforeAll(async () => {
  stage = await openStage()
  const url = stage.address()
  await stage.ask('subscriptions', { url, secret: SECRETS[1] })
  // Each scenario twice, once with an even number and once with an odd one, because they differ.
  await stage.ask('happen', { scenarios: SCENARIO_NAMES })
  await stage.ask('happen', { scenarios: ['sensors', ...SCENARIO_NAMES] })
  rows = await stage.stored()
})
afterAll(() => stage.close())

const of = (event: string): Stored[] => rows.filter((row) => row.event === event)
const objectOf = (row: Stored) => (row.payload?.payload?.object ?? {}) as Record<string, unknown>
const objectsOf = (...events: string[]) => events.flatMap(of).map(objectOf)
const valuesOf = (field: string, ...events: string[]) =>
  new Set(objectsOf(...events).map((object) => object[field]))

describe('a notification from the service', () => {
  it('is recognized under each documented event name and as app_deauthorized, and under no other', () => {
    const names = DOCUMENTED.map(({ event }) => event)
    expect([...EVENTS.keys()].toSorted()).toEqual([...names, 'app_deauthorized'].toSorted())
  })

  it.each(DOCUMENTED)('about $event has exactly the documented fields', (due) => {
    const found = of(due.event)
    expect(found.length).toBeGreaterThan(0)
    for (const row of found) {
      expect(row.findings).toEqual([])
      const names = Object.keys(objectOf(row)).filter((name) => !due.optional.includes(name))
      expect(names.toSorted()).toEqual(due.fields.toSorted())
      const schema = EVENTS.get(due.event)?.fields.shape ?? {}
      expect(Object.keys(schema).toSorted()).toEqual([...due.fields, ...due.optional].toSorted())
    }
  })

  it.each(DOCUMENTED)(
    'about $event has an envelope with the time, the account and, if documented, the operator',
    (due) => {
      for (const { payload, event_at, event_ts } of of(due.event)) {
        expect(Object.keys(payload ?? {})).toEqual(
          expect.arrayContaining(['event', 'event_ts', 'payload']),
        )
        const inside = payload?.payload ?? {}
        expect(inside.account_id).toBe('acct-1')
        expect('operator' in inside && 'operator_id' in inside).toBe(due.operator)
        expect(event_ts).toMatch(
          due.timed === 'integer' ? /^\d{13}$/ : /^\d{4}-\d\d-\d\dT[\d:]{8}Z$/,
        )
        expect(Date.parse(event_at ?? '')).toBe(
          due.timed === 'integer' ? Number(event_ts) : Date.parse(event_ts ?? ''),
        )
      }
    },
  )

  it.each([
    ['svcroom.updated', /^room:/],
    ['svcroom.location_created', /^location:/],
    ['workspace.updated', /^workspace:/],
    ['workspace.user_assigned', /^user:/],
    ['workspace.reservation_update', /^reservation:/],
    ['visitor_management.checked_out', /^email:visitor\.\d+@guests\.example$/],
    ['visitor_management.invitation_created', /^invitation:/],
    ['svcroom.digital_signage_app_ended', /^room:/],
  ])('about %s can be found by the person or thing that it concerns', (event, pattern) => {
    for (const { subjects } of of(event)) {
      expect(subjects.some((subject) => pattern.test(subject))).toBe(true)
      expect(subjects.length).toBeLessThan(12)
    }
  })
})

describe('the values in notifications', () => {
  it('of alerts are the documented ones', () => {
    const alerts = ['svcroom.alert', 'svcroom.delayed_alert']
    expect(valuesOf('alert_kind', ...alerts)).toEqual(new Set([1, 2, 3, 4]))
    for (const value of valuesOf('alert_type', ...alerts)) expect(value).toBeOneOf(upTo(10))
    for (const value of valuesOf('component', ...alerts)) expect(value).toBeOneOf(upTo(6))
    expect(valuesOf('alert_type', ...alerts).size).toBeGreaterThan(4)
    for (const issue of valuesOf('issue', ...alerts)) expect(issue).toMatch(/^\S.+/)
  })

  it.each([
    ['alert_kind', 5],
    ['alert_type', 11],
    ['component', 7],
  ])('of the field %s are stored and reported if they are undocumented', async (field, value) => {
    const [object] = objectsOf('svcroom.alert')
    const payload = { account_id: 'acct-1', object: { ...object, [field]: value } }
    const event = { event: 'svcroom.alert', event_ts: 1_783_000_000_000 + value, payload }
    expect((await send(stage.address(), event)).status).toBe(200)
    const last = (await stage.stored()).at(-1)
    expect(last?.findings).toEqual([`unknown_value ${field}`])
    expect(last?.payload?.payload?.object).toMatchObject({ [field]: value })
  })

  it('include the undocumented meeting platforms, as received', () => {
    const types = valuesOf('meeting_source_type', 'svcroom.thirdparty_meeting_attempted')
    expect([...types].map(String).toSorted()).toEqual([
      expect.stringMatching(/^PARTNER_\d$/),
      'UNKNOWN',
    ])
  })

  it('include further fields only if the room has a calendar', () => {
    for (const object of objectsOf('svcroom.checked_in', 'svcroom.checked_out')) {
      expect('change_key' in object).toBe(object.calendar_type !== '0')
      expect('resource_email' in object).toBe(object.calendar_type !== '0')
      expect(object.api_type === '').toBe(object.calendar_type === '0')
    }
    expect(valuesOf('calendar_type', 'svcroom.checked_in').size).toBe(2)
  })

  it('include all nine sensor readings and all three types of questions', () => {
    const [room] = objectsOf('svcroom.sensor_data')
    expect(room?.sensor_data).toHaveLength(9)
    const [asked] = objectsOf('workspace.reservation_questionnaire_response_created')
    const [form] = (asked?.questionnaire_response ?? []) as { list: { type: string }[] }[]
    expect(form?.list.map(({ type }) => type)).toEqual([
      'single-choice',
      'multiple-choice',
      'open-text',
    ])
  })
})

describe('the simulated service', () => {
  it('sends no notifications to a receiver that answers the challenge wrongly', async () => {
    const asked: string[] = []
    const server = createServer((request, response) => {
      request
        .on('data', (chunk: Buffer) => asked.push(chunk.toString()))
        .on('end', () => {
          response.end('{"plainToken":"x","encryptedToken":"y"}')
        })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`
    expect(await stage.ask('subscriptions', { url, secret: 's' })).toEqual({ confirmed: false })
    await stage.ask('happen', { scenarios: ['room'] })
    expect(asked).toHaveLength(1)
    expect(asked[0]).toContain('endpoint.url_validation')
    await end(server)
  })
})

function upTo(last: number): number[] {
  return Array.from({ length: last + 1 }, (_, value) => value)
}

async function end(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
