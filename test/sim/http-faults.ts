import { parseLossless } from '../../src/core/values/json.ts'
import type { Random } from './random.ts'
import type { WireAnswer } from './wire-answer.ts'

/** What may go wrong with one answer, by the rows of the fault matrix. */
export const HTTP_FAULTS = {
  refused: 'N1',
  reset: 'N1',
  'reset-in-body': 'N2',
  stall: 'N3',
  drip: 'N4',
  'cut-by-length': 'N5',
  'cut-in-silence': 'N6',
  'garbage-after': 'N9',
  'other-record': 'N10',
  'proxy-page': 'N11',
  unauthorized: 'H1',
  'page-token-refused': 'H2',
  forbidden: 'H3',
  'detail-refused': 'H3',
  daily: 'H9',
  'server-error': 'H10',
  unavailable: 'H10',
  'rate-seconds': 'H6',
  'rate-date': 'H7',
  'rate-odd': 'H8',
  html: 'H12',
  'error-inside': 'H13',
  empty: 'H14',
  'broken-json': 'H15',
  'twice-a-key': 'H15',
  redirect: 'H17',
  partial: 'H20',
  'slow-chain': 'P1',
  'same-token': 'P3',
  'early-end': 'P5',
  'row-twice': 'P6',
  'total-wrong': 'P8',
  'unknown-field': 'D2',
  'key-missing': 'D3',
  'files-left-out': 'D15',
  'no-object': 'D4',
} as const satisfies Record<string, string>

export type HttpFault = keyof typeof HTTP_FAULTS

export interface Around {
  random: Random
  nowMs: number
  /** As it was asked for. */
  path: string
}

export type Spoilt =
  | (WireAnswer & { delayMs?: number })
  | { code: string; part?: WireAnswer; delayMs?: number }

/** The answer as it arrives, in place of the one that the service gave. */
export function spoil(fault: HttpFault, answer: WireAnswer, around: Around): Spoilt {
  return (SPOILERS[fault] ?? (() => answer))(answer, around)
}

type Spoiler = (answer: WireAnswer, around: Around) => Spoilt

const SPOILERS: Partial<Record<HttpFault, Spoiler>> = {
  reset: () => ({ code: 'ECONNRESET' }),
  'reset-in-body': (answer) => ({ code: 'ECONNRESET', part: half(answer) }),
  stall: () => ({ code: 'UND_ERR_HEADERS_TIMEOUT', delayMs: 30_000 }),
  drip: (answer) => ({ ...answer, delayMs: 600_000 }),
  'cut-by-length': (answer) => ({
    ...half(answer),
    headers: { ...answer.headers, 'content-length': String(answer.body.length) },
  }),
  'cut-in-silence': half,
  'garbage-after': (answer) => withBody(answer, `${text(answer)}\r\n0\r\n`),
  'other-record': otherRecord,
  'proxy-page': () => page(502, 'Bad gateway'),
  unauthorized: () => json(401, { code: 124, message: 'Invalid access token.' }),
  'server-error': (_answer, { random }) =>
    json(random.pick([500, 502, 504]), { code: 500, message: 'x' }),
  unavailable: (_answer, { random }) => ({
    ...json(503, { code: 503, message: 'x' }),
    headers: { ...JSON_TYPE, 'retry-after': String(random.between(1, 20)) },
  }),
  'rate-seconds': (answer, { random }) => limited(answer, String(random.between(1, 30))),
  'rate-date': (answer, { random, nowMs }) =>
    limited(answer, new Date(nowMs + random.between(-20, 40) * 1000).toUTCString()),
  'rate-odd': (answer, { random }) =>
    limited(answer, random.pick([undefined, '', 'soon', '-5', '0', '1e3'])),
  forbidden: () => json(403, { code: 403, message: 'Feature is off' }),
  'detail-refused': () => json(403, { code: 403, message: 'Not yours to see' }),
  daily: () => ({
    ...json(429, { code: 429, message: 'You have reached the maximum daily rate limit' }),
    headers: { ...JSON_TYPE, 'x-ratelimit-type': 'Daily-limit' },
  }),
  'page-token-refused': (answer, { path }) =>
    path.includes('next_page_token=') ? json(400, { code: tokenCode(path), message: 'x' }) : answer,
  'same-token': (answer, { path }) => {
    const asked = new URLSearchParams(path.split('?')[1]).get('next_page_token')
    return edited((body) => {
      if (asked !== null && body.next_page_token !== '') body.next_page_token = asked
    })(answer, { random: undefined as never, nowMs: 0, path })
  },
  html: () => page(200, 'Please wait'),
  'error-inside': () => json(200, { code: 200, message: 'You do not have the right permissions' }),
  empty: (answer, { random }) => ({
    ...answer,
    status: random.pick([200, 204]),
    body: Buffer.alloc(0),
  }),
  'broken-json': (answer) => withBody(answer, text(answer).slice(0, -7)),
  // A page has one without being told; of any other object the first field comes twice.
  'twice-a-key': (answer) =>
    withBody(
      answer,
      /"(next_page_token|page_size)":/.test(text(answer))
        ? text(answer).replace('{', '{"next_page_token":"x",')
        : text(answer).replace(/\{("[^"]*":)/, '{$1"x",$1'),
    ),
  redirect: () => ({
    ...json(302, {}),
    headers: { ...JSON_TYPE, location: 'http://127.0.0.1:9/elsewhere' },
  }),
  partial: (answer) => ({ ...answer, status: 206 }),
  'slow-chain': (answer) => ({ ...answer, delayMs: 100_000 }),
  'total-wrong': edited((body, _list, random) => {
    if ('total_records' in body) body.total_records = random.between(0, 9)
  }),
  // Only where the service names a total can anybody know; of trunks it names that of the page.
  'early-end': edited((body, list) => {
    // Nor where the service's total is that of the page.
    const ofPage = body.total_records === (body[list] as unknown[]).length
    if ('total_records' in body && !('byoc_sip_trunk' in body) && !ofPage) body.next_page_token = ''
  }),
  'row-twice': edited((body, list) => {
    const records = body[list] as unknown[]
    if (records.length > 0) records.push(records[0])
  }),
  'unknown-field': edited((body, list) => change(body, list, { brand_new: { deep: ['x'] } })),
  'key-missing': edited((body, list) => {
    const record = (body[list] as Record<string, unknown>[])[0] ?? {}
    const keys = KEYS.some((name) => name in record) ? KEYS : FURTHER_KEYS
    for (const name of keys) delete record[name]
  }),
  // The count of the recording stays: it says that there are files.
  'files-left-out': edited((body, list) => {
    for (const record of body[list] as Record<string, unknown>[])
      if (record.recording_files !== undefined) record.recording_files = null
  }),
  'no-object': edited((body, list) => {
    const records = body[list] as unknown[]
    if (records.length > 0) records[0] = 'a word'
  }),
}

function change(body: Record<string, unknown>, list: string, patch: object): void {
  const record = (body[list] as object[])[0]
  if (record !== undefined) Object.assign(record, patch)
}

/** Changes the list of a whole page; what is no page stays as it is. */
function edited(
  edit: (body: Record<string, unknown>, list: string, random: Random) => void,
): Spoiler {
  return (answer, { random }) => {
    if (answer.status !== 200) return answer
    const body = parseLossless(text(answer)) as Record<string, unknown>
    const list = Object.keys(body).find((name) => Array.isArray(body[name]))
    if (list === undefined || !('next_page_token' in body || 'page_size' in body)) return answer
    edit(body, list, random)
    return withBody(answer, JSON.stringify(body))
  }
}

/** The answer that another request for one record was to get: it names that record. */
function otherRecord(answer: WireAnswer, { path }: Around): WireAnswer {
  if (answer.status !== 200 || !text(answer).startsWith('{')) return answer
  const body = parseLossless(text(answer)) as Record<string, unknown>
  const requested = decodeURIComponent(decodeURIComponent(path.split('?')[0] ?? ''))
  for (const [name, value] of Object.entries(body))
    if (typeof value === 'string' && value !== '' && requested.includes(`/${value}`))
      body[name] = `${value}0`
  return withBody(answer, JSON.stringify(body))
}

function half(answer: WireAnswer): WireAnswer {
  return { ...answer, body: answer.body.subarray(0, Math.floor(answer.body.length / 2)) }
}

function text(answer: WireAnswer): string {
  return answer.body.toString()
}

function withBody(answer: WireAnswer, body: string): WireAnswer {
  return { ...answer, body: Buffer.from(body) }
}

function json(status: number, body: object): WireAnswer {
  return { status, headers: JSON_TYPE, body: Buffer.from(JSON.stringify(body)) }
}

function tokenCode(path: string): number {
  if (path.includes('number_management')) return 1003100
  return path.includes('whiteboard') ? 34002 : 300
}

function page(status: number, words: string): WireAnswer {
  const body = Buffer.from(`<html><body>${words}</body></html>`)
  return { status, headers: { 'content-type': 'text/html' }, body }
}

function limited(answer: WireAnswer, retryAfter: string | undefined): WireAnswer {
  const date = answer.headers.date === undefined ? {} : { date: answer.headers.date }
  const asked = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
  return {
    ...json(429, { code: 429, message: 'Too fast' }),
    headers: { ...JSON_TYPE, ...date, ...asked },
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }
const KEYS = ['id', 'session_id', 'email']
/** Of lists whose records have none of these. */
const FURTHER_KEYS = [
  'whiteboard_id',
  'classification_id',
  'consent_id',
  'phone_number_id',
  'order_id',
  'sip_group_id',
  'sip_trunk_id',
  'phone_number',
]
