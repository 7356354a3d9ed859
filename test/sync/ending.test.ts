import { describe, expect, it } from 'vitest'
import {
  AuthenticationError,
  MissingScopeError,
  RateLimitedError,
  TransportError,
} from '../../src/core/errors.ts'
import { endingOf } from '../../src/sync/ending.ts'
import type { SliceCounts } from '../../src/sync/run/run-types.ts'

const NOON = Date.parse('2026-05-10T12:00:00Z')
const MIDNIGHT = Date.parse('2026-05-11T00:00:00Z')
const FACTS = { tried: 'Reading', came: 'something else' }
const READ: SliceCounts = { planned: 3, complete: 3, failed: 0, notAllowed: 0, notRead: 0 }
const FAILED = { ...READ, complete: 2, failed: 1 }
const REFUSED = { ...READ, complete: 0, notAllowed: 3 }
const GUARD = { stream: 'users', missing: 90, owned: 100 }
const FILES = { stored: 0, bytes: 0, expired: 0, missing: 0, unoffered: 0, pending: 2 }

const run = { slices: { users: READ }, trippedGuards: [], error: undefined }
const incomplete = { ...run, state: 'incomplete' } as const
const failed = (error: Error) => ({ ...run, state: 'failed', error }) as const

describe('a run', () => {
  it.each([
    ['was complete', { ...run, state: 'complete' } as const, 'done'],
    ['was stopped', { ...run, state: 'interrupted', error: new Error() } as const, 'interrupted'],
    ['missed a slice', { ...incomplete, slices: { users: FAILED } }, 'again'],
    ['could not reach the service', failed(new TransportError('reset', true, FACTS)), 'again'],
    ['has a drop that waits for a person', { ...incomplete, trippedGuards: [GUARD] }, 'person'],
    [
      'has a drop that waits for a person, and missed a slice',
      { ...incomplete, slices: { users: FAILED }, trippedGuards: [GUARD] },
      'again',
    ],
    [
      'has a drop that waits for a person, and pending files',
      { ...incomplete, trippedGuards: [GUARD], files: FILES },
      'again',
    ],
    [
      'received responses that do not match its requests',
      { ...incomplete, needsPerson: true },
      'person',
    ],
    [
      'received responses that do not match, and has pending files',
      { ...incomplete, needsPerson: true, files: FILES },
      'again',
    ],
    ['was refused all its slices', { ...incomplete, slices: { users: REFUSED } }, 'person'],
    [
      'was refused one stream, and missed a slice of another',
      { ...incomplete, slices: { users: FAILED, rooms: REFUSED } },
      'again',
    ],
    ['lacks a scope', failed(new MissingScopeError(['user:read'], FACTS)), 'person'],
    ['needs another login', failed(new AuthenticationError('login', FACTS)), 'person'],
  ])('decides when the next run starts if it %s', (_what, end, kind) => {
    expect(endingOf(end, NOON)).toEqual({ kind })
  })

  it('that used up the daily quota resumes when the quota is reset', () => {
    expect(endingOf({ ...run, state: 'paused' }, NOON)).toEqual({ kind: 'at', atMs: MIDNIGHT })
    const spent = new RateLimitedError('daily', MIDNIGHT + 5, FACTS)
    const error = { ...run, state: 'paused', error: spent } as const
    expect(endingOf(error, NOON)).toEqual({ kind: 'at', atMs: MIDNIGHT + 5 })
  })
})
