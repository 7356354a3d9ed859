import type { PlanItem } from '../core/define/desired.ts'
import { CallsheetError, OutcomeUnknownError, ServiceError } from '../core/errors.ts'
import { rawNumber } from '../core/values/json.ts'
import type { CallBatch } from './batches.ts'
import { afterStep, type Sent } from './sent.ts'

/**
 * Returns the result of each item in a failed call. If the outcome of the call is unknown, so are all items.
 * If the error lists none of the items, all failed. Otherwise the items that it does not list were sent; they
 * are unknown if an entry of the list matches no item.
 */
export function judgeBatch(batch: CallBatch, error: unknown): [PlanItem, Sent][] {
  const { items, step } = batch
  const reason = error instanceof CallsheetError ? error.facts.came : (error as Error).message
  if (error instanceof OutcomeUnknownError)
    return items.map((item) => [item, { state: 'unknown', reason }])
  const listed = error instanceof ServiceError ? listedIn(error) : []
  const { failed, unmatched } = matched(batch, listed)
  const strange = unmatched.length === 0 ? undefined : `the service refused ${textOf(unmatched)}`
  return items.map((item): [PlanItem, Sent] => {
    const why = failed.get(item)
    if (why !== undefined) return [item, { state: 'failed', reason: why }]
    if (failed.size === 0) return [item, { state: 'failed', reason: strange ?? reason }]
    return [
      item,
      strange === undefined ? afterStep(item, step) : { state: 'unknown', reason: strange },
    ]
  })
}

/** A failed item in the service's list. */
interface Listed {
  number: string
  reason: string
}

function listedIn({ details }: ServiceError): Listed[] {
  return details.flatMap((detail) => {
    const { phoneNumber, reason } = (detail ?? {}) as { phoneNumber?: unknown; reason?: unknown }
    const number = plain(phoneNumber)
    return number === '' ? [] : [{ number, reason: plain(reason) || 'without a reason' }]
  })
}

function plain(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : (rawNumber(value) ?? JSON.stringify(value))
}

/** Matches items by their name or the ID that was sent, then by the digits of their number. */
function matched({ items, members }: CallBatch, listed: readonly Listed[]) {
  const failed = new Map<PlanItem, string>()
  const unmatched: Listed[] = []
  const known = items.map((item, at) => {
    const names = [item.namedAs, members[at]]
    return { item, names, digits: digitsOf(item.namedAs ?? '') }
  })
  for (const one of listed) {
    const digits = digitsOf(one.number)
    const tests: ((other: (typeof known)[number]) => boolean)[] = [
      ({ names }) => names.includes(one.number.trim()),
      (other) => digits !== '' && other.digits === digits,
      (other) => isLocalForm(other.digits, digits) || isLocalForm(digits, other.digits),
    ]
    const found = tests.map((test) => known.filter(test)).find((some) => some.length > 0) ?? []
    // Only a unique match counts, because a local form may match numbers of several countries.
    if (found.length === 1) for (const { item } of found) failed.set(item, one.reason)
    else unmatched.push(one)
  }
  return { failed, unmatched }
}

/** Returns the digits, without the zeros before a country or area code. */
function digitsOf(number: string): string {
  return number.normalize('NFKC').replace(/\D/g, '').replace(/^0+/, '')
}

function isLocalForm(whole: string, digits: string): boolean {
  return digits.length >= LEAST_LOCAL && whole.endsWith(digits)
}

function textOf(unmatched: readonly Listed[]): string {
  const shown = unmatched.slice(0, MOST_SHOWN).map(({ number, reason }) => `${number}: ${reason}`)
  const rest = unmatched.length - shown.length
  return [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join('; ').slice(0, MOST_TEXT)
}

const LEAST_LOCAL = 6
const MOST_SHOWN = 5
const MOST_TEXT = 1_000
