import { describe, expect, it } from 'vitest'
import { type ErrorBody, errorFields } from '../../../src/api/answers/error-body.ts'
import { refusalError } from '../../../src/api/answers/refusal.ts'
import { meansRefused } from '../../../src/core/define/answer-meaning.ts'
import type { Operation } from '../../../src/core/define/operation.ts'
import { AuthenticationError, NotAllowedError, TransportError } from '../../../src/core/errors.ts'
import { listClassificationLabels } from '../../../src/resources/classification-labels.ts'
import { listPeeringNumbers } from '../../../src/resources/peering-numbers.ts'
import { listRecordings } from '../../../src/resources/recordings.ts'
import { listSessionReports } from '../../../src/resources/session-reports.ts'
import {
  getStorageLocation,
  listStorageLocations,
} from '../../../src/resources/storage-locations.ts'
import { listUsers } from '../../../src/resources/users.ts'
import { getWhiteboardContent } from '../../../src/resources/whiteboard-content.ts'

type Case = [what: string, operation: Operation, status: number, body: object]

const judge = ([, operation, status, body]: Case): boolean => {
  const read: ErrorBody = errorFields(body)
  const answer = { operation, status, headers: {}, body: read, paged: false, nowMs: 0 }
  return meansRefused(operation, refusalError(answer))
}

const REFUSED: Case[] = [
  ['a missing scope', listUsers, 400, { code: 4711, message: 'does not contain scopes:[a:b]' }],
  ['a missing scope with its other code', listUsers, 400, { code: 104, message: 'Invalid scope' }],
  ['a disabled feature', listClassificationLabels, 403, { code: 34004, message: 'Off' }],
  [
    'a caller who is not an administrator',
    listClassificationLabels,
    403,
    { code: 34003, message: 'No' },
  ],
  ['an account of another kind', listRecordings, 400, { code: 200, message: 'Only video' }],
  ['a plan without storage', listStorageLocations, 403, { code: 3335, message: 'No' }],
  ['an undocumented 403', listPeeringNumbers, 403, { code: 403, message: 'Partners' }],
  ['a 403 without a code', listSessionReports, 403, {}],
  ['an absent beta operation', listStorageLocations, 404, { code: 404, message: 'No' }],
  ['an operation that the cluster lacks', getWhiteboardContent, 404, { code: 404, message: 'No' }],
]
const ELSE: Case[] = [
  ['an expired token', listUsers, 401, { code: 124, message: 'Access token is expired.' }],
  ['an invalid token, as a 400', listUsers, 400, { code: 124, message: 'Invalid token.' }],
  ['a 401 without a code', listSessionReports, 401, { message: 'Only for paid accounts' }],
  ['a rate limit per second', listUsers, 429, { code: 429, message: 'per-second rate limit' }],
  ['a daily quota, as a 403', listUsers, 403, { message: 'daily rate limit reached' }],
  ['a failing service', listUsers, 500, { code: 500, message: 'Oops' }],
  ['an unavailable service', listUsers, 503, {}],
  ['a wrong parameter', listUsers, 400, { code: 300, message: 'Validation failed' }],
  ['an unknown path', listUsers, 404, { code: 404, message: 'Not found' }],
  ['a deleted record', getStorageLocation, 404, { code: 3310, message: 'No such location' }],
  ['a deleted board', getWhiteboardContent, 404, { code: 34007, message: 'No such board' }],
]

describe('counts as not allowed:', () => {
  it.each(REFUSED)('%s', (...one) => {
    expect(judge(one)).toBe(true)
  })

  it('a valid token that this operation does not accept', () => {
    const answer = { operation: 'users.list', status: 401, verdict: { kind: 'never' } } as const
    const error = new NotAllowedError(answer, { tried: 'GET /users', came: 'HTTP 401' })
    expect(meansRefused(listUsers, error)).toBe(true)
  })
})

describe('does not count as not allowed:', () => {
  it.each(ELSE)('%s', (...one) => {
    expect(judge(one)).toBe(false)
  })

  it.each([
    ['two rejected tokens', AuthenticationError, 'token_refused'],
    ['another error with the same text', Error, 'HTTP 403'],
  ] as const)('%s', (_what, Kind, text) => {
    const error =
      Kind === Error ? new Error(text) : new Kind(text, { tried: 'GET /users', came: 'HTTP 401' })
    expect(meansRefused(listUsers, error)).toBe(false)
  })

  it('a lost connection', () => {
    const error = new TransportError('reset', true, { tried: 'GET /users', came: 'a reset' })
    expect(meansRefused(listUsers, error)).toBe(false)
  })
})
