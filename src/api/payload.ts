import { isAscii, isUtf8 } from 'node:buffer'
import { ServiceError, TransportError } from '../core/errors.ts'
import { parseLossless } from '../core/lossless-json.ts'
import { itemsOf, type Operation, type RecordPaging } from '../core/operation.ts'
import { guessRecords, oneRecord, type PageRecords, provenRecords } from '../core/page-records.ts'
import { topLevelFields } from '../core/record-spans.ts'
import type { WireRecord } from '../core/stream.ts'
import { errorFields, errorInside } from './error-body.ts'
import type { Answer } from './exchange.ts'
import { header, trackingNote } from './headers.ts'
import { serverDateMs } from './retry-after.ts'
import { type Refusal, refusalError, tried } from './refusal.ts'

export interface Page {
  records: PageRecords
  /** The same page with proven records; throws what `fetchPage` would have thrown. */
  prove(): Page
  nextPageToken: string | undefined
  /** The service's own count, where it gives one. */
  total: number | undefined
  /** As many records, or as long a list within the one record, as the service shows at most. */
  atBound: boolean
  /** What the service says it was asked; it narrows in silence. */
  echo: { from?: string; to?: string; page_size?: number }
  /** Wall clock when the request left. */
  requestedAtMs: number
  serverDateMs: number | undefined
}

export interface Received {
  operation: Operation
  answer: Answer
  paged: boolean
  requestedAtMs: number
  nowMs: number
}

/**
 * The JSON object of a 200 answer. Everything else that a 200 may be is an error, and mostly a passing one.
 */
export function readObject(
  received: Received,
  parse: (text: string) => unknown = parseLossless,
): { text: string; body: WireRecord } {
  const { text, body } = readJson(received, parse)
  if (!isObject(body)) throw notDue(received, 'JSON that is no object', true)
  return { text, body }
}

function readJson(
  received: Received,
  parse: (text: string) => unknown = parseLossless,
): { text: string; body: unknown } {
  checkKind(received)
  const text = decodeText(received)
  try {
    return { text, body: parse(text) }
  } catch {
    // The parser's message quotes the text, which may be personal; the error says only how much came.
    throw notDue(received, `${received.answer.body.length} bytes that are no JSON`, true)
  }
}

/**
 * A record that is nested too deep for the parse that keeps digits must not cost the others their page: each
 * is parsed again from its own bytes, so the digits that are lost here are lost nowhere.
 */
function parsePage(text: string): unknown {
  try {
    return parseLossless(text)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return JSON.parse(text)
  }
}

/** Checks the envelope by hand: a schema over a whole page would cost more than all the rest. */
export function readPage(received: Received): Page {
  const { operation, answer } = received
  if (operation.paging?.style === 'record') return readRecord(received, operation.paging)
  const items = itemsOf(operation)
  if (items === undefined) return readBareList(received)
  const { text, body } = readObject(received, parsePage)
  const records = body[items]
  if (!Array.isArray(records)) throw withoutRecords(received, body, items)
  if (comesTwice(text, 'next_page_token') || comesTwice(text, items)) {
    throw notDue(received, 'a page that names its records or its next page twice', true)
  }
  return pageOf(received, body, provenRecords(withoutMark(answer.body), items))
}

/** An answer that is the list itself. */
function readBareList(received: Received): Page {
  const { body } = readJson(received, parsePage)
  if (isObject(body)) throw withoutRecords(received, body, 'a list')
  if (!Array.isArray(body)) throw notDue(received, 'JSON that is no list', true)
  return pageOf(received, {}, provenRecords(withoutMark(received.answer.body), undefined))
}

/** An answer that is one record, which has to fit its schema: nothing else tells it from another answer. */
function readRecord(received: Received, { bounded }: RecordPaging): Page {
  const { operation, answer } = received
  const { body } = readObject(received, parsePage)
  if (!operation.response.safeParse(body).success)
    throw withoutRecords(received, body, 'the fields of the record')
  const inner = bounded === undefined ? undefined : body[bounded.field]
  const atBound = bounded !== undefined && Array.isArray(inner) && inner.length >= bounded.most
  return { ...pageOf(received, {}, oneRecord(withoutMark(answer.body))), atBound }
}

/** A page whose caller proves its records: only the rest of it is parsed, if it has the usual form. */
export function readUnproven(received: Received): Page {
  const { operation, answer } = received
  checkKind(received)
  if (operation.paging?.style !== 'token') return readPage(received)
  if (!isUtf8(answer.body)) throw notDue(received, 'a body that is no UTF-8', true)
  const guessed = guessRecords(answer.body, operation.paging.items)
  const body = guessed === undefined ? undefined : envelopeOf(guessed.envelope)
  if (guessed === undefined || body === undefined) return readPage(received)
  return pageOf(received, body, guessed.records)
}

function envelopeOf(text: string): WireRecord | undefined {
  if (comesTwice(text, 'next_page_token')) return undefined
  try {
    return parseLossless(text) as WireRecord
  } catch {
    // The whole page is parsed instead, and is refused there.
    return undefined
  }
}

function pageOf(received: Received, body: WireRecord, records: PageRecords): Page {
  const { paging } = received.operation
  const most = paging?.style === 'whole' ? paging.mostRecords : undefined
  return {
    records,
    prove: () => readPage(received),
    nextPageToken: nextPageToken(received, body.next_page_token),
    total: typeof body.total_records === 'number' ? body.total_records : undefined,
    atBound: most !== undefined && records.count >= most,
    echo: echoOf(body),
    requestedAtMs: received.requestedAtMs,
    serverDateMs: serverDateMs(received.answer.headers),
  }
}

/**
 * Whatever a success may bring: an object, a list, or nothing. A read must bring something; a 200 with an
 * error inside throws that, and one with a code that nobody declares is an answer that cannot be understood.
 */
export function readAnything(received: Received): unknown {
  const { operation, answer } = received
  const { status } = answer
  if (status >= 300) throw notDue(received, `HTTP ${status}`, false)
  if (answer.body.length === 0 && operation.method !== 'GET') return undefined
  const { body } = readJson({ ...received, answer: { ...answer, status: 200 } })
  if (!isObject(body)) return body
  const error = errorInside(body)
  if (error === undefined || isDue(operation, body)) return body
  const refusal = refusalError(refusalOf(received, error))
  const declared = operation.errors?.some(({ code }) => code === error.code) === true
  if (declared || operation.method === 'GET' || !(refusal instanceof ServiceError)) throw refusal
  if (refusal.retry.kind !== 'never') throw refusal
  throw notDue(received, `HTTP ${status} with the code ${error.code}`, false)
}

/** Whether the body is what the operation is declared to answer; a schema for anything says nothing. */
function isDue({ response }: Operation, body: unknown): boolean {
  return response.safeParse(body).success && !response.safeParse(undefined).success
}

/** The error that a 200 without the due fields carries: by its code, or else a broken answer. */
export function withoutRecords(received: Received, body: WireRecord, missing: string): Error {
  const fields = errorFields(body)
  if (fields.code === undefined || fields.code === '0') {
    return notDue(received, `JSON without ${missing}`, true)
  }
  return refusalError(refusalOf(received, fields))
}

export function refusalOf(received: Received, body: Refusal['body']): Refusal {
  const { operation, answer, paged, nowMs } = received
  return { operation, status: answer.status, headers: answer.headers, body, paged, nowMs }
}

function checkKind(received: Received): void {
  const { status, headers, body } = received.answer
  if (status !== 200) throw notDue(received, `HTTP ${status}`, status === 204)
  if (body.length === 0) throw notDue(received, 'an empty body', true)
  const type = header(headers, 'content-type')
  if (type !== undefined && /html|xml/i.test(type)) throw notDue(received, 'HTML or XML', true)
}

function notDue({ operation, answer }: Received, what: string, retryable: boolean): TransportError {
  return new TransportError('not_the_due_json', retryable, {
    tried: tried(operation),
    expected: 'HTTP 200 with a JSON object',
    came: `${what}${trackingNote(answer.headers)}`,
  })
}

function isObject(value: unknown): value is WireRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Bytes that are no UTF-8 are refused: decoding would replace them in silence. */
function decodeText(received: Received): string {
  const { body } = received.answer
  if (isAscii(body)) return body.toString('latin1')
  if (isUtf8(body)) return body.toString('utf8')
  throw notDue(received, 'a body that is no UTF-8', true)
}

/** The body from where its JSON begins: a byte-order mark is no part of it. */
function withoutMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body
}

/** The last page has an empty token, or null, or none. Anything else that is no string is a broken answer. */
function nextPageToken(received: Received, token: unknown): string | undefined {
  if (token === undefined || token === null || token === '') return undefined
  if (typeof token === 'string') return token
  throw notDue(received, 'a next_page_token that is no string', true)
}

function echoOf({ from, to, page_size }: WireRecord): Page['echo'] {
  return {
    ...(typeof from === 'string' ? { from } : {}),
    ...(typeof to === 'string' ? { to } : {}),
    ...(typeof page_size === 'number' ? { page_size } : {}),
  }
}

/**
 * `JSON.parse` takes the last of two fields of one name. In the envelope that would lose records or pages.
 * Records may have fields of these names too, so two mentions alone prove nothing.
 */
function comesTwice(text: string, field: string): boolean {
  const mention = `"${field}"`
  const first = text.indexOf(mention)
  if (first < 0 || text.indexOf(mention, first + mention.length) < 0) return false
  return topLevelFields(text).filter(({ name }) => name === field).length > 1
}
