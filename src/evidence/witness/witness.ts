import { header } from '../../api/answers/headers.ts'
import { exchange } from '../../api/call/exchange.ts'
import { type OpenPool, openPool } from '../../api/call/pools.ts'
import { CallsheetError } from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { WitnessService } from '../log/evidence-access.ts'

export function createWitness(options: {
  url: string
  clock: Clock
  openPool?: OpenPool
}): WitnessService {
  const { url, clock } = options
  const open = options.openPool ?? openPool
  const path = `${new URL(url).pathname.replace(/\/$/, '')}/add-checkpoint`
  const tried = `Asking the witness ${url} to cosign a checkpoint`
  return {
    place: url,
    async add(body, signal) {
      const pool = open(url, { connectTimeoutMs: CONNECT_MS, connections: 1 })
      try {
        const headers = { 'user-agent': 'callsheet', 'content-type': 'text/plain' }
        const request = { tried, method: 'POST', path, headers, signal, body } as const
        const answer = await exchange({ pool, clock }, request, LIMITS)
        const type = header(answer.headers, 'content-type') ?? ''
        return { status: answer.status, type, text: answer.body.toString() }
      } catch (error) {
        if (signal.aborted) throw error
        throw noAnswer(tried, error)
      } finally {
        await pool.close()
      }
    },
  }
}

function noAnswer(tried: string, cause: unknown): CallsheetError {
  return new CallsheetError('witness_unanswered', {
    tried,
    came: cause instanceof CallsheetError ? cause.facts.came : 'the witness did not answer',
    todo: 'check the URL in evidence.witnesses; the next run contacts the witness again',
    cause,
  })
}

const CONNECT_MS = 10_000
const LIMITS = { headersTimeoutMs: 30_000, totalTimeoutMs: 60_000, maxBodyBytes: 2 ** 16 }
