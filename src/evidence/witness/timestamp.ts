import { randomBytes } from 'node:crypto'
import { exchange } from '../../api/call/exchange.ts'
import { type OpenPool, openPool } from '../../api/call/pools.ts'
import { CallsheetError } from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Timestamp } from '../log/evidence-access.ts'
import { readStamp, timestampRequest } from '../stamp/timestamp.ts'

/** Sends a digest and a nonce, and nothing else about the log. */
export function createTimestamp(options: {
  url: string
  clock: Clock
  openPool?: OpenPool
}): Timestamp {
  const { url, clock } = options
  const open = options.openPool ?? openPool
  const { pathname } = new URL(url)
  const tried = `Requesting a time stamp from ${url}`
  return {
    place: url,
    async request(sha256, signal) {
      const pool = open(url, { connectTimeoutMs: CONNECT_MS, connections: 1 })
      const nonce = randomBytes(NONCE_BYTES)
      try {
        const { status, body } = await exchange(
          { pool, clock },
          {
            tried,
            method: 'POST',
            path: pathname,
            headers: { 'content-type': 'application/timestamp-query', 'user-agent': 'callsheet' },
            body: await timestampRequest(sha256, nonce),
            signal,
          },
          LIMITS,
        )
        if (status !== 200) throw refused(tried, `the service answered HTTP ${status}`)
        return await judge(body, { tried, sha256, nonce })
      } catch (error) {
        if (signal.aborted || error instanceof TimestampError) throw error
        throw refused(
          tried,
          error instanceof CallsheetError ? error.facts.came : 'the service did not answer',
          error,
        )
      } finally {
        await pool.close()
      }
    },
  }
}

class TimestampError extends CallsheetError {}

async function judge(
  response: Buffer,
  { tried, sha256, nonce }: { tried: string; sha256: Buffer; nonce: Buffer },
): Promise<Buffer> {
  const stamp = await readStamp(response)
  if (stamp === undefined) throw refused(tried, 'the answer contains no granted time stamp')
  if (!stamp.imprint.equals(sha256)) throw refused(tried, 'the time stamp is for another digest')
  if (stamp.nonce?.subarray(-NONCE_BYTES).equals(nonce) !== true)
    throw refused(tried, 'the time stamp was made for another request')
  return response
}

function refused(tried: string, came: string, cause?: unknown): TimestampError {
  return new TimestampError('timestamp_refused', {
    tried,
    came,
    todo: 'check evidence.timestampUrl; the next run requests a time stamp again',
    ...(cause === undefined ? {} : { cause }),
  })
}

const CONNECT_MS = 10_000
const LIMITS = { headersTimeoutMs: 30_000, totalTimeoutMs: 60_000, maxBodyBytes: 2 ** 18 }
const NONCE_BYTES = 8
