import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { answers } from '../../sandbox/server/answers.ts'
import { type Operation, successOf } from '../../src/core/define/operation.ts'
import { operations } from '../../src/resources/declared.ts'
import { DOCUMENTED, DOCUMENTED_REFUSALS } from './documented.ts'

const callOf = ({ method, path }: Operation): string => `${method} ${path}`
const byCall = new Map(operations.map((operation) => [callOf(operation), operation]))
/** Of document 1, and one without a path of its own in the documents: the file of a recording. */
const OTHERS = [
  'GET /users/{userId}',
  'GET /users',
  'PATCH /users/me',
  'GET /users/me/token',
  'GET /users/me/meetings',
  'POST /users/me/meetings',
  'GET /videosdk/download/{path}',
]

describe('the declared operations', () => {
  it('are the documented operations, each once', () => {
    const documented = [...DOCUMENTED.map(({ call }) => call), ...OTHERS]
    expect(operations.map(callOf).toSorted()).toEqual(documented.toSorted())
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length)
    const itemsOf = (wanted: number) =>
      DOCUMENTED.filter(({ document }) => document === wanted).map(({ item }) => item)
    expect(itemsOf(2)).toEqual(Array.from({ length: 32 }, (_, at) => at + 1))
    expect(itemsOf(3)).toEqual(Array.from({ length: 22 }, (_, at) => at + 1))
  })

  it.each(DOCUMENTED)('document $document, item $item: $call', (documented) => {
    const { call, label, status, scopes, granularScopes } = documented
    const operation = byCall.get(call)!
    expect(operation.rate).toBe(label)
    expect(successOf(operation).status).toBe(status)
    expect(operation.scopes.toSorted()).toEqual(scopes.toSorted())
    // The granular scope of the consent list is not shown; it takes that of a single policy.
    if (granularScopes.length > 0)
      expect(operation.granularScopes.toSorted()).toEqual(granularScopes.toSorted())
  })

  it.each(operations)(
    '$id declares the code of the sandbox for a wrong parameter, unless that is the general 300',
    ({ id, errors = [] }) => {
      const code = String(answers[id]?.parameterCode)
      const declared = errors.some((error) => error.status === 400 && error.code === code)
      // 300 is the code of the service as a whole, which no operation lists.
      expect(declared || code === '300').toBe(true)
    },
  )

  it('for content, storage and removing a label do not exist in the government cluster', () => {
    const without = operations.filter(({ unavailableIn = [] }) => unavailableIn.length > 0)
    expect(without.map(({ id }) => id)).toEqual([
      'storage_locations.create',
      'storage_locations.delete',
      'storage_locations.get',
      'storage_locations.list',
      'storage_locations.update',
      'storage_settings.update',
      'whiteboard_classification.remove',
      'whiteboard_content.delete',
      'whiteboard_content.get',
      'whiteboard_content.save',
    ])
    expect(operations.filter(({ beta }) => beta === true).map(({ id }) => id)).toEqual(
      without.map(({ id }) => id).filter((id) => id.startsWith('storage')),
    )
  })

  it('for video sessions, and no others, encode an ID twice where documented', () => {
    const ofSession = operations.filter(({ path }) => path.includes('{sessionId}'))
    expect(ofSession).toHaveLength(5)
    const rules = operations.map(({ encodeTwice }) => encodeTwice)
    expect(rules.filter((rule) => rule !== undefined)).toEqual(
      ofSession.map(() => ({ sessionId: 'odd-slashes' })),
    )
  })
})

describe('the documented refusals', () => {
  it.each(DOCUMENTED_REFUSALS)(
    'of document $document include $status with code $code, which the client knows',
    ({ document, status, code }) => {
      const family = document === 3 ? /^\/number_management/ : /^\/(whiteboards|videosdk|users)/
      const declared = operations
        .filter(({ path }) => family.test(path))
        .flatMap(({ errors = [] }) => errors)
        .filter((error) => error.status === status && error.code === code)
      expect(declared.length).toBeGreaterThan(0)
      expect(declared.every(({ means }) => means.length > 10)).toBe(true)
    },
  )

  it('are 21 in document 2 and 18 in document 3', () => {
    const countOf = (wanted: number): number =>
      DOCUMENTED_REFUSALS.filter(({ document }) => document === wanted).length
    expect([countOf(2), countOf(3)]).toEqual([21, 18])
  })
})

describe('a request body', () => {
  const number = (more: object = {}) => ({
    phone_number: '+14155550100',
    sip_trunk_name: 'trunk',
    status: true,
    ...more,
  })
  const many = (count: number) => Array.from({ length: count }, () => number())
  const label = { name: 'Secret', color: '#1A9C4B', sensitivity_level: 3 }
  const supplied = { allocated_product: 'SVC_PHONE', phone_numbers: ['+14155550100'] }
  const good: [string, object][] = [
    ['classification_labels.create', { ...label, guideline_url: 'http://example.org/a' }],
    ['classification_labels.update', { guideline_url: 'https://example.org/a' }],
    ['whiteboard_collaborators.add', { collaborators: [{ email: 'a@b.example', role: 2 }] }],
    [
      'whiteboard_collaborators.add',
      { collaborators: [{ email: '', channel_id: 'c', role: 4 }], skip_notifications: true },
    ],
    ['whiteboard_content.save', { content_objects: Array.from({ length: 10_000 }, () => ({})) }],
    ['sessions.create', { session_name: 's', session_password: 'a1', settings: {} }],
    ['peering_numbers.add', { phone_numbers: many(200) }],
    [
      'peering_numbers.add',
      {
        allocated_product: 'SVC_CONTACT_CENTER',
        phone_numbers: [number({ number_type: 'VirtualService', billing_ref_id: 'b'.repeat(60) })],
      },
    ],
    ['byoc_numbers.add', { ...supplied, phone_numbers: Array(99).fill('+14155550100') }],
    ['byoc_numbers.add', { ...supplied, phone_numbers: ['5550100'], country_iso: 'US' }],
    ['sms_consent_numbers.add', { phone_number_ids: Array(199).fill('n') }],
    ['recordings.recover', { action: 'recover' }],
    ['sms_consents.update', { in_out_bound: { help_message: { message: 'Call the desk.' } } }],
  ]
  it.each(good)('of %s passes: %o', (id, body) => {
    expect(failures(id, body)).toEqual([])
  })

  const bad: [string, object, string][] = [
    ['classification_labels.create', { ...label, color: 'red' }, 'color'],
    ['classification_labels.create', { ...label, id: 'x' }, ''],
    ['classification_labels.update', { guideline_url: 'http://example.org/a' }, 'guideline_url'],
    ['classification_labels.update', {}, ''],
    [
      'whiteboard_collaborators.add',
      { collaborators: [{ email: 'a@b.example', channel_id: 'c', role: 2 }] },
      'collaborators.0',
    ],
    ['whiteboard_collaborators.add', { collaborators: [{ role: 2 }] }, 'collaborators.0'],
    [
      'whiteboard_collaborators.add',
      { collaborators: [{ email: 'a@b.example', role: 5 }] },
      'collaborators.0.role',
    ],
    [
      'whiteboard_content.save',
      { content_objects: Array.from({ length: 10_001 }, () => ({})) },
      'content_objects',
    ],
    ['whiteboard_content.delete', { object_ids: [] }, 'object_ids'],
    ['sessions.create', { session_name: 's', session_password: 'a b' }, 'session_password'],
    ['peering_numbers.add', { phone_numbers: many(201) }, 'phone_numbers'],
    [
      'peering_numbers.add',
      { phone_numbers: [number({ phone_number: '5550100' })] },
      'phone_numbers.0.phone_number',
    ],
    [
      'peering_numbers.add',
      {
        allocated_product: 'SVC_PHONE',
        phone_numbers: [number({ number_type: 'VirtualService' })],
      },
      'phone_numbers.0.number_type',
    ],
    [
      'peering_numbers.update',
      { phone_numbers: [{ phone_number: '+14155550100', billing_ref_id: 'b'.repeat(61) }] },
      'phone_numbers.0.billing_ref_id',
    ],
    [
      'peering_numbers.update',
      { phone_numbers: [{ phone_number: '+14155550100', service_info: 'b'.repeat(256) }] },
      'phone_numbers.0.service_info',
    ],
    [
      'phone_numbers.allocate',
      { allocated_product: 'SVC_MAIL', numbers: ['n'] },
      'allocated_product',
    ],
    [
      'byoc_numbers.add',
      { ...supplied, phone_numbers: Array(100).fill('+14155550100') },
      'phone_numbers',
    ],
    ['byoc_numbers.add', { ...supplied, phone_numbers: ['5550100'] }, 'country_iso'],
    ['byoc_numbers.add', { ...supplied, allocated_product: 'SVC_CONTACT_CENTER' }, 'sip_group_id'],
    ['byoc_numbers.add', { ...supplied, allocated_product: 'UNALLOCATED' }, 'allocated_product'],
    ['sms_consent_numbers.remove', { phone_number_ids: Array(200).fill('n') }, 'phone_number_ids'],
    ['sms_consents.create', { consent_name: 'c', status: true }, 'in_out_bound'],
    ['recordings.recover', { action: 'delete' }, 'action'],
    ['storage_locations.create', { name: 'l', provider: 'other', s3: {} }, 'provider'],
  ]
  it.each(bad)('of %s is refused: %o', (id, body, path) => {
    expect(failures(id, body)).toContain(path)
  })

  it('has a JSON Schema in each operation that has a body', () => {
    const bodies = operations.flatMap(({ body }) => body ?? [])
    expect(bodies.length).toBeGreaterThan(20)
    for (const body of bodies)
      expect(z.toJSONSchema(body, { io: 'input' })).toMatchObject({ type: 'object' })
  })
})

/** The paths of what is wrong with a body. */
function failures(id: string, body: object): string[] {
  const schema = operations.find((operation) => operation.id === id)?.body
  const checked = schema?.safeParse(body)
  if (checked === undefined) throw new RangeError(`${id} has no body`)
  return checked.success ? [] : checked.error.issues.map(({ path }) => path.join('.'))
}
