import { header } from '../../api/answers/headers.ts'
import { exchange } from '../../api/call/exchange.ts'
import { type OpenPool, openPool } from '../../api/call/pools.ts'
import { CallsheetError } from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { WitnessAnswer, WitnessService } from '../log/evidence-access.ts'

/** Uses https (http on this machine only). `newest` reads below the same address to which `add` submits. */
export function createWitness(options: {
  url: string
  clock: Clock
  openPool?: OpenPool
}): WitnessService {
  const { url, clock } = options
  const open = options.openPool ?? openPool
  const asked = async (asking: Asking): Promise<WitnessAnswer> => {
    const pool = open(asking.base, { connectTimeoutMs: CONNECT_MS, connections: 1 })
    const { tried, method, body, signal } = asking
    const path = new URL(asking.base).pathname.replace(/\/$/, '') + asking.below
    try {
      const headers = { 'user-agent': 'callsheet', ...(body && { 'content-type': 'text/plain' }) }
      const request = { tried, method, path, headers, signal, ...(body && { body }) }
      const answer = await exchange({ pool, clock }, request, LIMITS)
      const type = header(answer.headers, 'content-type') ?? ''
      return { status: answer.status, type, text: answer.body.toString() }
    } catch (error) {
      if (signal.aborted) throw error
      throw noAnswer(tried, error)
    } finally {
      await pool.close()
    }
  }
  return {
    place: url,
    add: (body, signal) =>
      asked({
        base: url,
        below: '/add-checkpoint',
        method: 'POST',
        body,
        signal,
        tried: `Asking the witness ${url} to cosign a checkpoint`,
      }),
    async newest(originHash, signal) {
      const below = `/${originHash}/checkpoint`
      const tried = `Requesting the last cosigned checkpoint from the witness ${url}`
      const answer = await asked({ base: url, below, method: 'GET', signal, tried })
      return answer.status === 200 ? answer.text : undefined
    },
  }
}

interface Asking {
  base: string
  below: string
  method: 'GET' | 'POST'
  body?: string
  signal: AbortSignal
  tried: string
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
