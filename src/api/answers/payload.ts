import { type CallArguments, itemsOf, type RecordPaging } from '../../core/define/operation.ts'
import { TransportError } from '../../core/errors.ts'
import {
  cutPage,
  noRecords,
  oneRecord,
  type PageCut,
  PageRecords,
} from '../../core/records/page-records.ts'
import { isRecord, parseLossless, type WireRecord } from '../../core/values/json.ts'
import { serverDateMs } from './answer.ts'
import { errorBeside, errorInside } from './error-body.ts'
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
  notDue,
  type Received,
  readJson,
  readObject,
  tooMuch,
  withoutMark,
} from './read-json.ts'
import { type Refusal, refusalError } from './refusal.ts'
import { NOTHING_CAME } from './retry.ts'
import { wordsSent } from './words-sent.ts'

export interface Page {
  records: PageRecords
  /** What asks for the page after it; undefined on the last one. */
  next: NextPage | undefined
  /** Of how many pages the service says that the list is; told where no token follows. */
  pageCount: number | undefined
  /** An empty token says that it is the last page; a token that is left out says nothing. */
  saysEnd: boolean
  /** The service's own count, where it gives one. */
  total: number | undefined
  /** As many records, or as long a list within the one record, as the service shows at most. */
  atBound: boolean
  echo: Echo
  /** What was sent: what the service does not take was left out. Later pages are asked for alike. */
  asked: CallArguments
  /** Wall clock when the request left. */
  requestedAtMs: number
  serverDateMs: number | undefined
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

/** A page all of whose records are JSON. */
export function readPage(received: Received): Page {
  const page = readUnproven(received)
  const { records } = page
  for (let at = 0; at < records.count; at++)
    if (!records.isJson(at)) throw notDue(received, 'a record that is no JSON', true)
  return page
}

/**
 * A page whose caller makes sure of each record: only the rest of it is parsed. Checks the envelope by hand:
 * a schema over a whole page would cost more than all the rest.
 */
export function readUnproven(received: Received): Page {
  const { operation, answer } = received
  if (operation.paging?.style === 'record') return readRecord(received, operation.paging)
  if (answer.status === 204 && !received.paged) throw new NothingCameError(received, 'HTTP 204')
  const items = itemsOf(operation)
  const bytes = withoutMark(answer.body)
  let cut: PageCut = { edges: [], envelope: '' }
  const { body } = readJson(received, () => {
    cut = cutPage(bytes, items) ?? cut
    return parsePage(cut.envelope)
  })
  const records = new PageRecords(bytes, cut.edges)
  if (body === null && !received.paged) throw new NothingCameError(received, 'null')
  if (items === undefined) return readBareList(received, body, records)
  if (!isRecord(body)) throw notDue(received, `${kindOf(body)} in place of an object`, false)
  checkList(received, body, { items, count: records.count })
  checkCount(received, records.count)
  if (comesTwice(cut.envelope, 'next_page_token') || comesTwice(cut.envelope, items))
    throw notDue(received, 'a page that names its records or its next page twice', true)
  return pageOf(received, body, records)
}

/** Nothing in place of a first page: an empty list of some services, and a passing fault of others. */
export class NothingCameError extends TransportError {
  /** The empty list that it may be. */
  readonly page: Page
  /** A 204 without a body, which whatever stands before the service may send as well. */
  readonly isNoContent: boolean
  constructor(received: Received, what: string) {
    super(NOTHING_CAME, true, notDue(received, what, true).facts)
    this.page = pageOf(received, {}, noRecords(received.answer.body))
    this.isNoContent = received.answer.status === 204
  }
}

/**
 * Makes sure that a page is no error: the code comes first, whatever else there is. An empty list may also be
 * null, an empty object, or left out, where nothing says that there are records.
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
  const told = mayBeEmpty ? `, while total_records is ${total}` : ''
  throw notDue(received, `JSON whose ${items} is ${kindOf(records)}${told}`, false)
}

function isEmpty(value: unknown): boolean {
  return value === null || (isRecord(value) && Object.keys(value).length === 0)
}

/** No page holds many times what was asked for: what that would take is kept from the other work. */
function checkCount(received: Received, count: number): void {
  const { paging } = received.operation
  const most = paging?.style === 'token' ? MOST_TIMES * paging.maxPageSize : MOST_IN_ONE_ANSWER
  if (count > most) throw tooMuch(received, `${most} records`)
}

/** An answer that is the list itself. */
function readBareList(received: Received, body: unknown, records: PageRecords): Page {
  if (isRecord(body)) {
    const error = errorBeside(body, received.operation, false)
    if (error !== undefined) throw refusalError(refusalOf(received, error))
    if (isEmpty(body)) throw new NothingCameError(received, 'an empty object')
  }
  if (!Array.isArray(body)) throw notDue(received, `${kindOf(body)} in place of a list`, false)
  checkCount(received, records.count)
  return pageOf(received, {}, records)
}

/** An answer that is one record, which has to fit its schema: nothing else tells it from another answer. */
function readRecord(received: Received, { bounded }: RecordPaging): Page {
  const { operation, answer } = received
  const { body } = readObject(received, parsePage)
  const error = errorInside(body, operation)
  if (error !== undefined) throw refusalError(refusalOf(received, error))
  if (!operation.response.safeParse(body).success)
    throw notDue(received, 'JSON without the fields of the record', false)
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

/**
 * A service that does not heed `page_size`, and sends the few thousand that it has, is read all the same.
 */
const MOST_TIMES = 20
/** Of a list that knows no pages. */
const MOST_IN_ONE_ANSWER = 20_000
