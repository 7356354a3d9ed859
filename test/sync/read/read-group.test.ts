import { describe, expect, it } from 'vitest'
import { createCircuitBreaker } from '../../../src/core/circuit-breaker.ts'
import type { Stream } from '../../../src/core/define/stream.ts'
import {
  AuthenticationError,
  ConfigurationError,
  FencedError,
  LoadError,
  MissingScopeError,
  NotAllowedError,
  PageTokenError,
  RateLimitedError,
  TransportError,
  UnusableValueError,
} from '../../../src/core/errors.ts'
import { smsConsentNumbers } from '../../../src/resources/sms-consents.ts'
import { users } from '../../../src/resources/users.ts'
import { whiteboardContent } from '../../../src/resources/whiteboard-content.ts'
import { WindowsIgnored } from '../../../src/sync/read/ignored-windows.ts'
import { blocksStream, failedEnd } from '../../../src/sync/read/read-group.ts'
import type { RunContext } from '../../../src/sync/run/run-context.ts'
import { readingOf, refusal } from '../deletions/group-read.ts'

const FACTS = { tried: 'reading', came: 'something else' }
const RESET = new TransportError('reset', true, FACTS)

/** The state of a slice after an error, and the problems that the run reports. */
function fail(stream: Stream, error: unknown, signal = new AbortController().signal) {
  const told: unknown[] = []
  const run = {
    signal,
    breaker: createCircuitBreaker(),
    failed: () => {},
    problem: (_text: string, blocking: unknown) => told.push(blocking),
  } as unknown as RunContext
  const { reading, ended } = failedEnd(run, stream, readingOf({ state: 'not_read', error }))
  return { state: reading.state, told, ended, blocks: blocksStream(reading) }
}

const scopes = new MissingScopeError(['user:read'], FACTS)
const verdict = { kind: 'never' } as const
const notAllowed = new NotAllowedError({ operation: 'x', status: 401, verdict }, FACTS)
const errors: [string, Stream, unknown, ReturnType<typeof fail>['state'], unknown[], boolean][] = [
  ['the network failed', users, RESET, 'failed', [true], false],
  ['its list did not end', users, new PageTokenError('page_loop', FACTS), 'failed', [true], false],
  ['the service failed', users, refusal(500), 'failed', [true], false],
  [
    'it cannot be requested',
    users,
    new UnusableValueError('x', FACTS),
    'failed',
    ['for a person'],
    false,
  ],
  ['the account may not read it', users, refusal(403), 'not_allowed', [], true],
  ['a scope is missing', users, scopes, 'not_allowed', [], true],
  ['the token is refused for it', users, notAllowed, 'not_allowed', [], true],
  ['there is no such list', users, refusal(404), 'failed', [true], false],
  ['a board is deleted', whiteboardContent, refusal(404, '34007'), 'complete', [], false],
  ['a board is withheld', whiteboardContent, refusal(403), 'complete', [], false],
  ['a policy is deleted', smsConsentNumbers, refusal(404, '1002013'), 'complete', [], false],
  ['a policy may be withheld', smsConsentNumbers, refusal(403), 'failed', [], false],
  ['a policy has an unknown refusal', smsConsentNumbers, refusal(404), 'failed', [], false],
  ['windows are ignored', users, new WindowsIgnored(), 'failed', [], false],
  [
    'the daily quota is spent',
    users,
    new RateLimitedError('daily', 9, FACTS),
    'not_read',
    [],
    true,
  ],
]
describe('a slice', () => {
  it.each(errors)(
    'ends in the specified state if %s',
    (_what, stream, error, state, told, blocks) => {
      expect(fail(stream, error)).toEqual({ state, told, blocks, ended: undefined })
    },
  )

  it.each([
    new AuthenticationError('login', FACTS),
    new ConfigurationError('video_key_missing', FACTS),
  ])('ends the run if no slice can be requested: %s', (error) => {
    expect(fail(users, error)).toMatchObject({ state: 'failed', ended: error })
  })

  it('counts as not read if the run was stopped', () => {
    const ended = fail(users, RESET, AbortSignal.abort())
    expect(ended).toMatchObject({ state: 'not_read', told: [], ended: RESET })
  })

  it.each([
    new FencedError('lease_lost', FACTS),
    new LoadError('sql_23505', FACTS),
    new TypeError('a fault of ours'),
  ])('ends the run if the error is not the service’s: %s', (error) => {
    expect(() => fail(users, error)).toThrow(error)
  })

  it('ends the run if it cannot write, even after a stop', () => {
    const error = new FencedError('lease_lost', FACTS)
    expect(() => fail(users, error, AbortSignal.abort())).toThrow(error)
  })
})
