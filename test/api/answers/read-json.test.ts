import { describe, expect, it } from 'vitest'
import { namesOther } from '../../../src/api/answers/read-json.ts'
import { parseLossless, type WireRecord } from '../../../src/core/values/json.ts'
import { operations } from '../../../src/resources/declared.ts'
import { getSessionRecordings } from '../../../src/resources/recordings.ts'
import { getUser } from '../../../src/resources/users.ts'
import { getWhiteboardSession } from '../../../src/resources/whiteboard-archives.ts'

describe('a response to a request by ID', () => {
  it.each([
    { requested: 'S1', answer: '{"session_id":"S1"}', other: false },
    { requested: 'S1', answer: '{"session_id":"S2"}', other: true },
    { requested: 'S1', answer: '{"session_id":"s1"}', other: true },
    { requested: 'S1', answer: '{"session_id":"S1 "}', other: true },
    { requested: 'S1', answer: '{"session_id":""}', other: false },
    { requested: 'S1', answer: '{"session_id":null}', other: false },
    { requested: 'S1', answer: '{}', other: false },
    { requested: '17', answer: '{"session_id":17}', other: false },
    { requested: '17', answer: '{"session_id":18}', other: true },
    { requested: '90071992547409931', answer: '{"session_id":90071992547409931}', other: false },
    { requested: '90071992547409931', answer: '{"session_id":90071992547409932}', other: true },
    { requested: '/a+b==', answer: '{"session_id":"/a+b=="}', other: false },
    { requested: '/a+b==', answer: '{"session_id":"%2Fa%2Bb%3D%3D"}', other: false },
    { requested: '/a+b==', answer: '{"session_id":"%252Fa%252Bb%253D%253D"}', other: false },
    { requested: '/a+b==', answer: '{"session_id":"a+b=="}', other: true },
  ])(
    'is recognized as another record’s ($other) if $requested is answered by $answer',
    ({ requested, answer, other }) => {
      const record = parseLossless(answer) as WireRecord
      const args = { path: { sessionId: requested } }
      expect(namesOther(getSessionRecordings, args, record)).toBe(other)
      expect(namesOther(getWhiteboardSession, { path: { seesionId: requested } }, record)).toBe(
        other,
      )
    },
  )
})

describe('a user in a response', () => {
  it.each([
    { requested: 'u1', record: { id: 'u1', email: 'a@corp.example' }, other: false },
    { requested: 'u1', record: { id: 'u2', email: 'a@corp.example' }, other: true },
    { requested: 'a@corp.example', record: { id: 'u9', email: 'A@Corp.example' }, other: false },
    { requested: 'a@corp.example', record: { id: 'u9', email: 'b@corp.example' }, other: true },
    { requested: 'a@corp.example', record: { id: 'u9' }, other: false },
    { requested: 'me', record: { id: 'u1' }, other: false },
  ])('is recognized as another user ($other) if $requested is answered by $record', (given) => {
    const args = { path: { userId: given.requested } }
    expect(namesOther(getUser, args, given.record)).toBe(given.other)
  })
})

it('every operation that reads one record or parent declares the fields that identify it', () => {
  const reads = operations.filter(
    ({ method, path }) => method === 'GET' && path.includes('{') && !path.endsWith('{path}'),
  )
  expect(reads.length).toBeGreaterThan(8)
  const nameless = reads.filter(({ path, names = {} }) =>
    [...path.matchAll(/\{(\w+)\}/g)].some(([, name = '']) => names[name] === undefined),
  )
  expect(nameless.map(({ id }) => id)).toEqual([])
})
