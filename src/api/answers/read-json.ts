import { isAscii, isUtf8 } from 'node:buffer'
import type { CallArguments, Operation } from '../../core/define/operation.ts'
import type { Words } from '../../core/define/own-words.ts'
import { TransportError } from '../../core/errors.ts'
import { holdsMoreValues } from '../../core/values/json-census.ts'
import { parseLossless } from '../../core/values/lossless-json.ts'
import type { WireRecord } from '../../core/values/wire-record.ts'
import type { Answer } from './answer.ts'
import { header, trackingNote } from './headers.ts'
import { UNREADABLE } from './retry.ts'
import { tried } from './tried.ts'

export interface Received {
  operation: Operation
  answer: Answer
  /** What was sent. */
  args: CallArguments
  /** The same of its body, as it went out. */
  body?: string | undefined
  /** The words it was sent in, where they are not those of the documents. */
  words?: Words | undefined
  paged: boolean
  requestedAtMs: number
  nowMs: number
}

/**
 * The JSON object of a 200 answer. Everything else that a 200 may be is an error: a passing one where the
 * body is broken or a page of HTML, for good where it is whole and of another form.
 */
export function readObject(
  received: Received,
  parse: (text: string) => unknown = parseLossless,
): { text: string; body: WireRecord } {
  const { text, body } = readJson(received, parse)
  if (!isObject(body)) throw notDue(received, `${kindOf(body)} in place of an object`, false)
  return { text, body }
}

export function readJson(
  received: Received,
  parse: (text: string) => unknown = parseLossless,
): { text: string; body: unknown } {
  checkBody(received)
  const text = decodeText(received)
  try {
    return { text, body: parse(text) }
  } catch {
    // The parser's message quotes the text, which may be personal; the error says only how much came.
    throw notDue(received, `${received.answer.body.length} bytes that are no JSON`, true)
  }
}

/** What can be seen of an answer before it is parsed. */
export function checkBody(received: Received): void {
  const { status, headers, body } = received.answer
  if (status !== 200) throw notDue(received, `HTTP ${status}`, status === 204)
  if (body.length === 0) throw notDue(received, 'an empty body', true)
  const type = header(headers, 'content-type')
  if (type !== undefined && /html|xml/i.test(type)) throw notDue(received, 'HTML or XML', true)
  if (holdsMoreValues(body, MOST_VALUES)) throw tooMuch(received, `${MOST_VALUES} values in it`)
}

/** Bytes that are no UTF-8 are refused: decoding would replace them in silence. */
function decodeText(received: Received): string {
  const { body } = received.answer
  if (isAscii(body)) return body.toString('latin1')
  if (isUtf8(body)) return body.toString('utf8')
  throw notDue(received, 'a body that is no UTF-8', true)
}

export function notDue(
  { operation, answer }: Received,
  what: string,
  retryable: boolean,
): TransportError {
  const facts = {
    tried: tried(operation),
    expected: 'HTTP 200 with a JSON object',
    came: `${what}${trackingNote(answer.headers)}`,
  }
  // Nothing at all may pass: there is not even another answer.
  return new TransportError(answer.status === 204 ? 'no_content' : UNREADABLE, retryable, facts)
}

/** More than any honest answer holds: what it would take to read it is kept from the other work. */
export function tooMuch({ operation, answer }: Received, most: string): TransportError {
  return new TransportError('too_much_in_page', false, {
    tried: tried(operation),
    expected: `an answer with at most ${most}`,
    came: `more than that${trackingNote(answer.headers)}`,
    todo: 'ask who runs the service why it sends so much in one answer',
  })
}

export function isObject(value: unknown): value is WireRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The kind of a JSON value, as it is named in an error. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return KINDS[typeof value] ?? 'an object'
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
}

/**
 * The largest page of records that the documents know is 300, the largest record 10,000 objects; each value
 * costs time and memory many times its text.
 */
const MOST_VALUES = 500_000
