import { expect, it } from 'vitest'
import sessionReportsJob from '../../jobs/session-reports.ts'
import userDetailsJob from '../../jobs/user-details.ts'
import usersJob from '../../jobs/users.ts'
import { jobs } from '../../src/account/catalog.ts'
import { FAILURES_IN_A_ROW } from '../../src/core/circuit-breaker.ts'
import { fetchedStream } from '../../src/core/define/stream.ts'
import { TransportError } from '../../src/core/errors.ts'
import { sharedBreakers } from '../../src/sync/outage.ts'

it('all streams of a job are read with the same bearer', () => {
  for (const { name, streams } of jobs) {
    const bearers = new Set(streams.map((stream) => fetchedStream(stream).operation.bearer))
    expect([name, bearers.size]).toEqual([name, 1])
  }
})

it('an unreachable token server stops the jobs that need its tokens, and no others', () => {
  const breakerOf = sharedBreakers()
  const refused = new TransportError('network', true, {
    tried: 'Requesting a token',
    came: 'the connection failed',
    cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
  })
  for (let time = 0; time < FAILURES_IN_A_ROW; time++) breakerOf(usersJob).note(refused)
  expect(breakerOf(userDetailsJob).tripped()).toBe(refused)
  expect(breakerOf(sessionReportsJob).tripped()).toBeUndefined()
})
