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
  ['a missing scope by its other code', listUsers, 400, { code: 104, message: 'Invalid scope' }],
  ['a feature that is off', listClassificationLabels, 403, { code: 34004, message: 'Off' }],
  ['an administrator who is none', listClassificationLabels, 403, { code: 34003, message: 'No' }],
  ['an account of another kind', listRecordings, 400, { code: 200, message: 'Only video' }],
  ['a plan without storage', listStorageLocations, 403, { code: 3335, message: 'No' }],
  ['a 403 that no document lists', listPeeringNumbers, 403, { code: 403, message: 'Partners' }],
  ['a 403 without a code', listSessionReports, 403, {}],
  ['what is in beta and is not there', listStorageLocations, 404, { code: 404, message: 'No' }],
  ['what a cluster does not have', getWhiteboardContent, 404, { code: 404, message: 'No' }],
]
const ELSE: Case[] = [
  ['a token that is expired', listUsers, 401, { code: 124, message: 'Access token is expired.' }],
  ['a token that is invalid, as a 400', listUsers, 400, { code: 124, message: 'Invalid token.' }],
  ['a 401 that nobody has judged', listSessionReports, 401, { message: 'Only for paid accounts' }],
  ['a quota of a second', listUsers, 429, { code: 429, message: 'per-second rate limit' }],
  ['a quota of a day inside a 403', listUsers, 403, { message: 'daily rate limit reached' }],
  ['a service that fails', listUsers, 500, { code: 500, message: 'Oops' }],
  ['a service that is away', listUsers, 503, {}],
  ['a wrong parameter', listUsers, 400, { code: 300, message: 'Validation failed' }],
  ['a path that is not found', listUsers, 404, { code: 404, message: 'Not found' }],
  ['a record that is gone', getStorageLocation, 404, { code: 3310, message: 'No such location' }],
  ['a board that is gone', getWhiteboardContent, 404, { code: 34007, message: 'No such board' }],
]

describe('not allowed is', () => {
  it.each(REFUSED)('%s', (...one) => {
    expect(judge(one)).toBe(true)
  })

  it('a good token that is not taken for this operation', () => {
    const answer = { operation: 'users.list', status: 401, verdict: { kind: 'never' } } as const
    const error = new NotAllowedError(answer, { tried: 'GET /users', came: 'HTTP 401' })
    expect(meansRefused(listUsers, error)).toBe(true)
  })
})

describe('not allowed is not', () => {
  it.each(ELSE)('%s', (...one) => {
    expect(judge(one)).toBe(false)
  })

  it.each([
    ['two tokens that are refused', AuthenticationError, 'token_refused'],
    ['an error of our own', Error, 'HTTP 403'],
  ] as const)('%s', (_what, Kind, text) => {
    const error =
      Kind === Error ? new Error(text) : new Kind(text, { tried: 'GET /users', came: 'HTTP 401' })
    expect(meansRefused(listUsers, error)).toBe(false)
  })

  it('a connection that is lost', () => {
    const error = new TransportError('reset', true, { tried: 'GET /users', came: 'a reset' })
    expect(meansRefused(listUsers, error)).toBe(false)
  })
})
