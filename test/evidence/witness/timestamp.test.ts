import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/time/clock.ts'
import { sha256Hex } from '../../../src/evidence/log/digest.ts'
import { readStamp } from '../../../src/evidence/stamp/timestamp.ts'
import { createTimestamp } from '../../../src/evidence/witness/timestamp.ts'
import { startTimestampServer, type TimestampServer } from '../../helpers/timestamp-server.ts'

let server: TimestampServer
beforeAll(async () => {
  server = await startTimestampServer()
})
afterAll(() => server.close())

const digest = Buffer.from(sha256Hex('a head'), 'hex')
const ask = (url = server.url) =>
  createTimestamp({ url, clock: systemClock }).request(digest, new AbortController().signal)

it('a time-stamp request returns the complete response, which confirms the digest', async () => {
  server.misbehave(undefined)
  expect((await readStamp(await ask()))?.imprint).toEqual(digest)
})

it.each([
  ['rejects', 'the answer contains no granted time stamp'],
  ['bytes that are not DER', 'the answer contains no granted time stamp'],
  ['another digest', 'the time stamp is for another digest'],
  ['another nonce', 'the time stamp was made for another request'],
  ['HTTP 500', 'the service answered HTTP 500'],
] as const)('a time-stamp request fails if the service answers with: %s', async (how, came) => {
  server.misbehave(how)
  await expect(ask()).rejects.toMatchObject({ code: 'timestamp_refused', facts: { came } })
})

it('a time-stamp request fails if the service is unavailable, or remote without TLS', async () => {
  await expect(ask('http://127.0.0.1:1/tsr')).rejects.toMatchObject({ code: 'timestamp_refused' })
  await expect(ask('http://tsa.example/tsr')).rejects.toMatchObject({ code: 'insecure_address' })
})
