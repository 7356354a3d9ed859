import { header } from '../../api/answers/headers.ts'
import { serverDateMs } from '../../api/answers/retry-after.ts'
import { ServiceError } from '../../core/errors/errors.ts'
import type { Probe, Probed } from './probe.ts'

const ERROR_BODY: Probe = {
  id: 'error-body',
  lines: ['error-body'],
  assumption: 'a refusal is JSON with a code and a message',
  operations: [],
  mostReads: 0,
  run({ seen }) {
    const refusals = seen.answers.filter(
      ({ status, error }) => status >= 400 && error !== undefined,
    )
    const odd = refusals.filter(({ error }) => error?.wellFormed !== true)
    const facts = { refusals: refusals.length, other: odd.length }
    if (refusals.length === 0) return { verdict: 'unclear', found: 'nothing was refused', facts }
    if (odd.length === 0) return { verdict: 'holds', found: `so are all ${refusals.length}`, facts }
    const where = [...new Set(odd.map(({ operation, status }) => `${operation.id} ${status}`))]
    return {
      verdict: 'differs',
      found: `${odd.length} of ${refusals.length} are not: ${where.slice(0, 5).join(', ')}`,
      means: 'a sync goes by their status alone, and cannot tell what is gone by its code',
      facts,
    }
  },
}

const ERROR_IN_SUCCESS: Probe = {
  id: 'error-in-success',
  lines: ['error-in-success'],
  assumption: 'an error inside an answer of success has a code, by which it is recognised',
  operations: [],
  mostReads: 0,
  run({ seen }) {
    const taken = seen.readings.filter(({ refusal }) => refusal === undefined)
    const odd = taken.filter(({ operation, body }) => !operation.response.safeParse(body).success)
    const inside = seen.readings.filter(
      ({ status, refusal }) => status < 400 && refusal instanceof ServiceError,
    )
    const facts = { recognised: inside.length, unrecognised: odd.length }
    if (odd.length > 0)
      return {
        verdict: 'differs',
        found: `${odd.length} answers without a code lack documented fields: ${odd[0]?.operation.id}`,
        means: 'a sync takes them for broken and asks again, until it gives the slice up',
        facts,
      }
    if (inside.length === 0) return { verdict: 'unclear', found: 'there was none', facts }
    return { verdict: 'holds', found: `${inside.length} came, and were recognised`, facts }
  },
}

const TRACKING_ID: Probe = {
  id: 'tracking-id',
  lines: ['tracking-id'],
  assumption: 'x-svc-trackingid is on every answer, each time another one',
  operations: [],
  mostReads: 0,
  run({ seen }) {
    const ids = seen.answers.flatMap(({ headers }) => header(headers, 'x-svc-trackingid') ?? [])
    const facts = {
      answers: seen.answers.length,
      with_id: ids.length,
      different: new Set(ids).size,
    }
    if (facts.answers === 0) return { verdict: 'unclear', found: 'nothing was answered', facts }
    if (facts.different === facts.answers)
      return { verdict: 'holds', found: `on all ${facts.answers} answers`, facts }
    return {
      verdict: 'differs',
      found: `${facts.different} different ones on ${facts.answers} answers`,
      means: 'some calls cannot be named to the support of the service; nothing is lost',
      facts,
    }
  },
}

const CLOCK: Probe = {
  id: 'clock',
  lines: [],
  assumption: 'answers tell the time, and it is that of this machine',
  operations: [],
  mostReads: 0,
  run({ seen }) {
    const offsets = seen.answers.flatMap(({ headers, atMs }) => {
      const ms = serverDateMs(headers)
      return ms === undefined ? [] : [Math.abs(ms - atMs)]
    })
    if (offsets.length === 0)
      return {
        verdict: 'differs',
        found: 'no answer tells the time',
        means: 'a wrong clock of this machine would not be noticed',
      }
    const seconds = Math.round(Math.min(...offsets) / 1000)
    const facts = { seconds }
    if (seconds <= MOST_SECONDS) return { verdict: 'holds', found: `${seconds} s apart`, facts }
    return {
      verdict: 'differs',
      found: `${seconds} s apart`,
      means: 'windows end at this machine’s present: too early, or in the future; set it by NTP',
      facts,
    }
  },
}

const MISSING_SCOPE: Probe = {
  id: 'missing-scope',
  lines: ['missing-scope'],
  assumption: 'a missing scope is answered 400 with code 4711 or 104, and named',
  operations: [],
  mostReads: 0,
  run({ seen }): Probed {
    const about = seen.answers.filter(({ error }) => /scope/i.test(error?.message ?? ''))
    const odd = about.filter(({ status, error }) => status !== 400 || !CODES.has(error?.code ?? ''))
    const facts = { refusals: about.length, other: odd.length }
    if (about.length === 0) return { verdict: 'unclear', found: 'no scope was missing', facts }
    const [first] = odd.length > 0 ? odd : about
    const found = `HTTP ${first?.status} with code ${first?.error?.code ?? 'none'}`
    if (odd.length === 0) return { verdict: 'holds', found, facts }
    return {
      verdict: 'differs',
      found,
      means: 'a sync may take it for a token that is no good, and renew that once for nothing',
      facts,
    }
  },
}

export const answerProbes: readonly Probe[] = [
  ERROR_BODY,
  ERROR_IN_SUCCESS,
  TRACKING_ID,
  MISSING_SCOPE,
  CLOCK,
]

const CODES = new Set(['4711', '104'])
const MOST_SECONDS = 30
