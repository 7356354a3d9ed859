import { describe, expect, it } from 'vitest'
import type { Stream } from '../../src/core/define/stream.ts'
import { identityOf, nameOf, tokenOf } from '../../src/core/persons/identity.ts'
import { suppressionOf } from '../../src/core/persons/suppression.ts'
import { checkVersion } from '../../src/erasure/check-version.ts'
import { phoneNumberAssignments, phoneNumbers } from '../../src/resources/phone-numbers.ts'
import { users } from '../../src/resources/users.ts'
import { whiteboardActivities } from '../../src/resources/whiteboard-archives.ts'
import { whiteboardCollaborators } from '../../src/resources/whiteboard-collaborators.ts'

const key = Buffer.alloc(32, 7)
const ANNA = 'anna.jones@example.com'
const anna = (counts: 'beside' | 'everywhere' = 'beside') =>
  suppressionOf({
    key,
    persons: new Set(['user-anna', ANNA].map((text) => tokenOf(key, identityOf(text)))),
    names: new Map([[tokenOf(key, nameOf('Anna Jones')), counts]]),
  })

function check(stream: Stream, row: object, { raw = {}, source, counts }: Given = {}) {
  const text = JSON.stringify({ ...row, _raw: raw })
  return checkVersion(stream, { row: text, source: source ?? null }, anna(counts))
}
interface Given {
  raw?: object
  source?: string
  counts?: 'beside' | 'everywhere'
}

describe('a version of a row', () => {
  const gone: [string, Stream, object][] = [
    ['is the user’s own', users, { id: 'user-anna', email: 'x@y.example' }],
    ['has her address, for a user without an ID', users, { id: `pending:${ANNA}`, email: ANNA }],
    [
      'records her activity',
      whiteboardActivities,
      { session_id: 's', id: '1', user_id: 'user-anna' },
    ],
    [
      'has her ID as its key, even if other columns name somebody else',
      whiteboardCollaborators,
      { whiteboard_id: 'w', collaborator_id: 'user-anna', user_id: 'user-2', email: 'b@c.example' },
    ],
    [
      'has her address as its key, even beside another user’s ID',
      whiteboardCollaborators,
      { whiteboard_id: 'w', collaborator_id: ANNA, user_id: 'user-2', email: 'b@c.example' },
    ],
    [
      'assigns a number to her',
      phoneNumberAssignments,
      { phone_number_id: 'n', assigned_to_type: 'user', assigned_to_id: 'user-anna', ordinal: 0 },
    ],
  ]
  it.each(gone)('is deleted if it %s', (_how, stream, row) => {
    expect(check(stream, row)).toEqual({ kind: 'goes' })
  })

  const stays: [string, Stream, object, Given?][] = [
    ['belongs to another user', users, { id: 'user-2', email: 'b@c.example', display_name: 'Bo' }],
    [
      'belongs to a namesake',
      users,
      { id: 'user-2', email: 'b@c.example', display_name: 'Anna Jones' },
    ],
    ['contains her ID within a longer one', users, { id: 'user-anna-2', email: 'b@c.example' }],
    [
      'describes a shared number with a namesake',
      phoneNumbers,
      { id: 'n1', number: '+49301234567', display_name: 'Anna Jones' },
    ],
    [
      'was stored from bytes that do not name her',
      users,
      { id: 'user-2' },
      { source: '{"id":"user-2"}' },
    ],
  ]
  it.each(stays)('stays unchanged if it %s', (_how, stream, row, given) => {
    expect(check(stream, row, given)).toEqual({ kind: 'stays' })
  })

  const changes: [string, Stream, object, Given, string[]][] = [
    [
      'contains her address in a text',
      users,
      { id: 'user-2', email: 'b@c.example', job_title: `stands in for ${ANNA}` },
      {},
      ['job_title', '_hash'],
    ],
    [
      'names her only in a nested field of its payload',
      users,
      { id: 'user-2', email: 'b@c.example' },
      { raw: { managers: [{ id: 'user-anna' }, { id: 'user-3' }] } },
      ['_raw', '_hash'],
    ],
    [
      'belongs to a namesake, and the name counts everywhere',
      users,
      { id: 'user-2', email: 'b@c.example', display_name: 'Anna Jones' },
      { counts: 'everywhere' },
      ['display_name', '_hash'],
    ],
    [
      'was stored from bytes that name her',
      users,
      { id: 'user-2', email: 'b@c.example' },
      { source: `{"id":"user-2","manager":"${ANNA}"}` },
      ['_bytes', '_hash'],
    ],
  ]
  it.each(changes)('loses only the person’s data if it %s', (_how, ...given) => {
    const [stream, row, more, columns] = given
    const fate = check(stream, row, more)
    expect(fate).toMatchObject({ kind: 'changes', columns })
    const { patch } = fate as Extract<typeof fate, { kind: 'changes' }>
    const bytes = /"_bytes":"\\\\x([0-9a-f]+)"/.exec(patch)?.[1] ?? ''
    const text = `${patch} ${Buffer.from(bytes, 'hex').toString()}`
    for (const trace of ['user-anna', ANNA, ...(more.counts ? ['Anna Jones'] : [])])
      expect(text).not.toContain(trace)
  })

  it('keeps the other people in a list', () => {
    const raw = { managers: [{ id: 'user-anna' }, { id: 'user-3' }] }
    const fate = check(users, { id: 'user-2', email: 'b@c.example' }, { raw })
    expect(fate).toMatchObject({ patch: expect.stringContaining('"managers":[{"id":"user-3"}]') })
  })
})
