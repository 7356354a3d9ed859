import type { Operation } from '../../core/define/operation.ts'
import { declares, plainName } from './error-signs.ts'
import { type AnswerHeaders, header } from './headers.ts'
import { notDue, type Received } from './read-json.ts'

/** Refuses a page that ends its list by the token, and says in another way that more follows. */
export function refuseMore(received: Received, body: object): void {
  const { operation, answer } = received
  if (operation.paging?.style === 'record') return
  const sign =
    saysMore(body, operation) ?? (linksNext(answer.headers) ? 'the header link' : undefined)
  if (sign === undefined) return
  const came = `a page without next_page_token of which ${sign.slice(0, 60)} says that more follow`
  throw notDue(received, came, false)
}

/**
 * The field by which a page says that more follows, in another way than the documents know: a flag, or a
 * token or an address of the next page, in the envelope or in an object of it. Undefined if none does.
 */
function saysMore(body: object, operation: Operation): string | undefined {
  const fields = Object.entries(body).filter(([name]) => !declares(operation, name))
  for (const [name, value] of fields) {
    if (isSign(name, value)) return name
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue
    const inner = Object.entries(value).find(([within, one]) => isSign(within, one))
    if (inner !== undefined) return `${name}.${inner[0]}`
  }
  return undefined
}

/** The same by the header that links pages. */
function linksNext(headers: AnswerHeaders): boolean {
  return /;\s*rel="?(?:[\w-]+ )*next\b/i.test(header(headers, 'link') ?? '')
}

function isSign(name: string, value: unknown): boolean {
  const plain = plainName(name)
  if (value === true || value === 'true' || value === 1) return FLAGS.has(plain)
  return NEXT.has(plain) && leads(value)
}

function leads(value: unknown): boolean {
  if (typeof value === 'string') return !NOWHERE.test(value.trim())
  if (typeof value === 'number') return value > 0
  return typeof value === 'object' && value !== null && Object.values(value).some(leads)
}

/** As `plainName` has them: without `is` and `has`. */
const FLAGS = new Set(
  `more moreresults morerecords moreitems moredata morepages next nextpage truncated partial partialresult
  partialresults incomplete incompleteresult incompleteresults`.split(/\s+/),
)
const NEXT = new Set(
  `next nextpage nextpagetoken nexttoken nextcursor nextlink nexturl nexturi nexthref nextoffset
  continuationtoken odatanextlink`.split(/\s+/),
)
const NOWHERE = /^(?:|null|none|nil|false|no|0|-1)$/i
