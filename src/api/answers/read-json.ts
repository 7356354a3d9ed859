import { isAscii, isUtf8 } from 'node:buffer'
import { plainString } from '../../core/define/column.ts'
import { type CallArguments, type Operation, tried } from '../../core/define/operation.ts'
import type { Words } from '../../core/define/own-words.ts'
import { TransportError } from '../../core/errors.ts'
import {
  holdsMoreValues,
  isRecord,
  parseLossless,
  skipBlanks,
  skipString,
  skipValue,
  stringAt,
  type WireRecord,
} from '../../core/values/json.ts'
import { type Answer, header, trackingNote } from './headers.ts'
import { UNREADABLE } from './retry.ts'

export interface Received {
  operation: Operation
  answer: Answer
  /** The parameters that were sent. */
  args: CallArguments
  /** The request body as it was sent. */
  body?: string | undefined
  /** The service's words used in the request, if they differ from the documented ones. */
  words?: Words | undefined
  paged: boolean
  requestedAtMs: number
  nowMs: number
}

/**
 * Returns the JSON object of a 200 answer. Any other answer is an error: retryable if the body is missing,
 * broken or HTML, permanent if it is complete but of another form or too large.
 */
export function readObject(
  received: Received,
  parse: (text: string) => unknown = parseLossless,
): { text: string; body: WireRecord } {
  const { text, body } = readJson(received, parse)
  if (!isRecord(body))
    throw unexpectedAnswer(received, `the answer is ${kindOf(body)}, not an object`, false)
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
    // The parser's message quotes the text, which may be personal, so the error gives only the body's length.
    throw unexpectedAnswer(
      received,
      `the body is not valid JSON (${received.answer.body.length} bytes)`,
      true,
    )
  }
}

function checkBody(received: Received): void {
  const { status, headers, body } = received.answer
  if (status !== 200)
    throw unexpectedAnswer(received, `the service answered HTTP ${status}`, status === 204)
  if (body.length === 0) throw unexpectedAnswer(received, 'the body is empty', true)
  const type = header(headers, 'content-type')
  if (type !== undefined && /html|xml/i.test(type))
    throw unexpectedAnswer(received, 'the body is HTML or XML', true)
  if (holdsMoreValues(body, MOST_VALUES)) throw tooMuch(received, `${MOST_VALUES} values`)
}

/** Refuses bytes that are not UTF-8: decoding would replace them without an error. */
function decodeText(received: Received): string {
  const { body } = received.answer
  if (isAscii(body)) return body.toString('latin1')
  if (isUtf8(body)) return body.toString('utf8')
  throw unexpectedAnswer(received, 'the body is not valid UTF-8', true)
}

export function unexpectedAnswer(
  { operation, answer }: Received,
  what: string,
  retryable: boolean,
): TransportError {
  const facts = {
    tried: tried(operation),
    expected: 'HTTP 200 with a JSON object',
    came: `${what}${trackingNote(answer.headers)}`,
    todo: "run again; if it repeats, check baseUrl, then contact the service's support",
  }
  // A 204 has a code of its own, because there is no body at all.
  return new TransportError(answer.status === 204 ? 'no_content' : UNREADABLE, retryable, facts)
}

/** The error of an answer larger than any valid one; reading it would take memory from other work. */
export function tooMuch({ operation, answer }: Received, most: string): TransportError {
  return new TransportError('too_much_in_page', false, {
    tried: tried(operation),
    came: `the answer contains more than ${most}${trackingNote(answer.headers)}`,
    todo: "contact the service's support and quote this message: no answer should be this large",
  })
}

/** The kind of a JSON value, as errors name it. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return KINDS[typeof value] ?? 'an object'
}

/** The body without a byte-order mark. */
export function withoutMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body
}

/** True if an envelope has a field twice: a parser uses the last one, which could lose records or pages. */
export function comesTwice(envelope: string, field: string): boolean {
  return topLevelNames(envelope).filter((name) => name === field).length > 1
}

/** The names of the fields of the outermost object, in the order of the text. */
function topLevelNames(text: string): string[] {
  const names: string[] = []
  let at = skipBlanks(text, 0)
  if (text[at] !== '{') return names
  at = skipBlanks(text, at + 1)
  while (text[at] === '"') {
    const keyEnd = skipString(text, at)
    const start = skipBlanks(text, skipBlanks(text, keyEnd) + 1)
    names.push(stringAt(text, at, keyEnd))
    at = skipBlanks(text, skipValue(text, start))
    if (text[at] === ',') at = skipBlanks(text, at + 1)
  }
  return names
}

/** Refuses an answer about a record other than the requested one. */
export function checkNamed({ operation, args }: Received, body: WireRecord): void {
  if (namesOther(operation, args, body)) throw otherRecord(operation, args)
}

/** The error does not show the answer's ID, which may identify a person. */
export function otherRecord(operation: Operation, { path = {} }: CallArguments): TransportError {
  const names = Object.entries(operation.names ?? {})
  const expected = names.map(([placeholder, fields]) => {
    const requested = path[placeholder] ?? ''
    return `${fields.join(' or ')} ${requested.includes('@') ? 'as requested' : requested}`
  })
  return new TransportError('other_record', false, {
    tried: tried(operation),
    expected: `an answer with ${expected.join(' and ')}`,
    came: 'the answer is about another record, and was not stored',
    todo: "run again; if it repeats, contact the service's support and quote this message",
  })
}

/**
 * Returns true if an answer, or a record in it, names a record other than the requested one. IDs are compared
 * with IDs, and addresses with addresses; an answer that has no name of the requested kind is accepted.
 */
export function namesOther(
  { names = {} }: Operation,
  { path = {} }: CallArguments,
  record: WireRecord,
): boolean {
  return Object.entries(names).some(([placeholder, fields]) => {
    const requested = path[placeholder]
    if (requested === undefined || requested === 'me') return false
    const given = fields
      .map((field) => plainString(record[field]) ?? '')
      .filter((name) => name !== '' && isAddress(name) === isAddress(requested))
    return given.length > 0 && !given.some((name) => isSame(name, requested))
  })
}

const isAddress = (name: string): boolean => name.includes('@')

/** Addresses ignore case; an ID may come back as it was in the path, encoded once or twice. */
function isSame(name: string, requested: string): boolean {
  if (name === requested) return true
  if (isAddress(requested)) return name.toLowerCase() === requested.toLowerCase()
  const once = encodeURIComponent(requested.toWellFormed())
  return name === once || name === encodeURIComponent(once)
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'a boolean',
}

/**
 * The maximum number of values in an answer: each costs many times its text in time and memory. Documented
 * answers have fewer: pages of at most 300 records, and single records of at most 10,000 objects.
 */
const MOST_VALUES = 500_000
