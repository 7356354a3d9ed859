import { type CallArguments, itemsOf, type RecordPaging } from '../../core/define/operation.ts'
import { FIELD_WORDS } from '../../core/define/word-fields.ts'
import { TransportError } from '../../core/errors.ts'
import {
  cutPage,
  noRecords,
  oneRecord,
  type PageCut,
  PageRecords,
} from '../../core/records/page-records.ts'
import { translated } from '../../core/records/translate.ts'
import { isRecord, parseLossless, type WireRecord } from '../../core/values/json.ts'
import { errorBeside, errorInside } from './error-body.ts'
import { serverDateMs } from './headers.ts'
import {
  carriesPageToken,
  countIn,
  type Echo,
  echoOf,
  type NextPage,
  nextPageToken,
  placeOf,
  refuseMore,
} from './paging.ts'
import {
  checkNamed,
  comesTwice,
  kindOf,
  type Received,
  readJson,
  readObject,
  tooMuch,
  unexpectedAnswer,
  withoutMark,
} from './read-json.ts'
import { type Refusal, refusalError } from './refusal.ts'
import { EMPTY_ANSWER } from './retry.ts'

export interface Page {
  records: PageRecords
  /** The query of the next page; undefined on the last one. */
  next: NextPage | undefined
  /** The number of pages that the service reports; undefined if the page has a next token. */
  pageCount: number | undefined
  /** True if an empty token marks the page as the last one; a missing token proves nothing. */
  saysEnd: boolean
  /** The service's own count, if it gives one. */
  total: number | undefined
  /** True if the page, or the bounded list in a single record, has the documented maximum of items. */
  atBound: boolean
  echo: Echo
  /** The parameters that were sent, without those that the service refuses. Later pages use the same ones. */
  asked: CallArguments
  /** Wall clock when the request left. */
  requestedAtMs: number
  serverDateMs: number | undefined
}

/**
 * Falls back to `JSON.parse` if the text is nested too deep for the lossless parser. Records lose no digits
 * by that: each is parsed again from its own bytes.
 */
function parsePage(text: string): unknown {
  try {
    return parseLossless(text)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return JSON.parse(text)
  }
}

/** Reads a page, and throws if one of its records is not valid JSON. */
export function readPage(received: Received): Page {
  const page = readUnproven(received)
  const { records } = page
  for (let at = 0; at < records.count; at++)
    if (!records.isJson(at)) throw unexpectedAnswer(received, 'a record is not valid JSON', true)
  return page
}

/**
 * Reads a page. Of a list it parses only the envelope; the caller checks each record. The envelope is checked
 * by hand, because a schema over a whole page would cost too much time.
 */
export function readUnproven(received: Received): Page {
  const { operation, answer } = received
  if (operation.paging?.style === 'record') return readRecord(received, operation.paging)
  if (answer.status === 204 && !received.paged)
    throw new EmptyAnswerError(received, 'the service answered HTTP 204')
  const items = itemsOf(operation)
  const bytes = withoutMark(answer.body)
  let cut: PageCut = { edges: [], envelope: '' }
  const { body } = readJson(received, () => {
    cut = cutPage(bytes, items) ?? cut
    return parsePage(cut.envelope)
  })
  const records = new PageRecords(bytes, cut.edges)
  if (body === null && !received.paged) throw new EmptyAnswerError(received, 'the answer is null')
  if (items === undefined) return readBareList(received, body, records)
  if (!isRecord(body))
    throw unexpectedAnswer(received, `the answer is ${kindOf(body)}, not an object`, false)
  checkList(received, body, { items, count: records.count })
  checkCount(received, records.count)
  if (comesTwice(cut.envelope, 'next_page_token') || comesTwice(cut.envelope, items))
    throw unexpectedAnswer(
      received,
      'the page has two fields for its records or its next page',
      true,
    )
  return pageOf(received, body, records)
}

/** The error of a 204, null or `{}` in place of a list: an empty list of some services, a fault of others. */
export class EmptyAnswerError extends TransportError {
  /** The empty list that the answer may mean. */
  readonly page: Page
  /** True for a 204 without a body, which a proxy in front of the service may also send. */
  readonly isNoContent: boolean
  constructor(received: Received, what: string) {
    super(EMPTY_ANSWER, true, unexpectedAnswer(received, what, true).facts)
    this.page = pageOf(received, {}, noRecords(received.answer.body))
    this.isNoContent = received.answer.status === 204
  }
}

/**
 * Throws if a page reports an error, even beside records, or if it has no list. Null, an empty object, and an
 * absent list with `total_records` 0 count as an empty list. On a single page `total_records` must then be 0
 * or absent.
 */
function checkList(
  received: Received,
  body: WireRecord,
  { items, count }: { items: string; count: number },
): void {
  const records = body[items]
  const error = errorBeside(body, received.operation, count > 0)
  if (error !== undefined) throw refusalError(refusalOf(received, error))
  if (Array.isArray(records)) return
  const total = countIn(received, 'total_records', body.total_records)
  const mayBeEmpty = records === undefined ? total === 0 : isEmpty(records)
  const goesOn = received.paged || nextPageToken(received, body.next_page_token) !== undefined
  if (mayBeEmpty && (goesOn || total === undefined || total === 0)) return
  const told = mayBeEmpty ? `, but total_records is ${total}` : ''
  throw unexpectedAnswer(received, `the field ${items} is ${kindOf(records)}${told}`, false)
}

function isEmpty(value: unknown): boolean {
  return value === null || (isRecord(value) && Object.keys(value).length === 0)
}

/** Refuses a page with far more records than any valid one, which would take memory from other work. */
function checkCount(received: Received, count: number): void {
  const { paging } = received.operation
  const most = paging?.style === 'token' ? MOST_TIMES * paging.maxPageSize : MOST_IN_ONE_ANSWER
  if (count > most) throw tooMuch(received, `${most} records`)
}

/** Reads an answer that is a JSON array without an envelope. */
function readBareList(received: Received, body: unknown, records: PageRecords): Page {
  if (isRecord(body)) {
    const error = errorBeside(body, received.operation, false)
    if (error !== undefined) throw refusalError(refusalOf(received, error))
    if (isEmpty(body)) throw new EmptyAnswerError(received, 'the answer is an empty object')
  }
  if (!Array.isArray(body))
    throw unexpectedAnswer(received, `the answer is ${kindOf(body)}, not a list`, false)
  checkCount(received, records.count)
  return pageOf(received, {}, records)
}

/** Reads a single record. It must match its schema: nothing else distinguishes it from other answers. */
function readRecord(received: Received, { bounded }: RecordPaging): Page {
  const { operation, answer } = received
  const { body } = readObject(received, parsePage)
  const error = errorInside(body, operation)
  if (error !== undefined) throw refusalError(refusalOf(received, error))
  if (!operation.response.safeParse(body).success)
    throw unexpectedAnswer(received, 'the answer lacks fields of the record', false)
  checkNamed(received, body)
  const inner = bounded === undefined ? undefined : body[bounded.field]
  const atBound = bounded !== undefined && Array.isArray(inner) && inner.length >= bounded.most
  return { ...pageOf(received, {}, oneRecord(withoutMark(answer.body))), atBound }
}

function pageOf(received: Received, body: WireRecord, records: PageRecords): Page {
  const { paging } = received.operation
  checkNamed(received, body)
  const most = paging?.style === 'whole' ? paging.mostRecords : undefined
  const place = placeOf(received, body)
  if (place.next === undefined) refuseMore(received, body)
  return {
    records,
    ...place,
    total: countIn(received, 'total_records', body.total_records),
    atBound: most !== undefined && records.count >= most,
    echo: echoOf(body),
    asked: received.args,
    requestedAtMs: received.requestedAtMs,
    serverDateMs: serverDateMs(received.answer.headers),
  }
}

export function refusalOf(received: Received, body: Refusal['body']): Refusal {
  const { operation, answer, args, nowMs } = received
  const { status, headers } = answer
  const paged = carriesPageToken(args)
  return { operation, status, headers, body, paged, nowMs, words: wordsSent(received) }
}

/** The words in a request for which a service may have words of its own, as they were sent. */
function wordsSent({ operation, args, body, words }: Received): Set<string> {
  const sent = new Set<string>()
  const note = (word: string): string => {
    const neutral = words?.neutral(word) ?? word
    if (FIELD_WORDS.includes(neutral)) sent.add(words?.own(neutral) ?? neutral)
    return word
  }
  translated(operation, note, [args.query, body === undefined ? undefined : JSON.parse(body)])
  return sent
}

/** A page may have this many times the page size: a service may ignore `page_size` and send all records. */
const MOST_TIMES = 20
/** The maximum number of records in a list without pages. */
const MOST_IN_ONE_ANSWER = 20_000
