import { badParameter } from '../protocol/refusal.ts'
import type { Readings } from '../readings/readings.ts'

type Reading = Pick<Readings, 'words'>
type Dictionary = Readonly<Record<string, string>>

/** The words of a deployment with its own words, by field. Not all of them follow one rule. */
const PRODUCTS: Dictionary = {
  SVC_PHONE: 'ACME_PHONE',
  SVC_CONTACT_CENTER: 'ACME_CONTACT_CENTER',
}
const SOURCES: Dictionary = { Svc: 'Acme', SvcPorted: 'AcmePorted', SvcReserved: 'AcmeHeld' }
const FIELDS: Readonly<Record<string, Dictionary>> = {
  allocated_product: PRODUCTS,
  source_system: PRODUCTS,
  source: SOURCES,
  number_source: SOURCES,
  voice_msg_capacity: { SVC_PHONE_USER_ONLY: 'ACME_PHONE_USER_ONLY' },
  assigned_to_type: {
    PartnerRoom: 'HarbourRoom',
    PartnerResourceAccount: 'HarbourResourceAccount',
  },
}

/** Translates a query to the documents' words. With the reading `own`, refuses the documents' words. */
export function documentedQuery({ words }: Reading, query: URLSearchParams): URLSearchParams {
  if (words !== 'own') return query
  return new URLSearchParams(
    [...query].map(([name, value]): [string, string] => [name, understood(name, value)]),
  )
}

export function documentedBody({ words }: Reading, body: unknown): unknown {
  return words === 'own' ? replaced(body, understood) : body
}

export function translateBody<T extends object>({ words }: Reading, body: T): T {
  // Texts are only replaced by texts, so the type does not change.
  return words === 'own'
    ? (replaced(body, (name, value) => FIELDS[name]?.[value] ?? value) as T)
    : body
}

export function translateHeaders({ words }: Reading, headers: Record<string, string>) {
  if (words !== 'own') return headers
  const named = Object.entries(headers).map(([name, value]) => [
    name.replace(/^x-svc-/, 'x-ac-'),
    value,
  ])
  return Object.fromEntries(named) as Record<string, string>
}

export function translateEvent({ words }: Reading, event: string): string {
  if (words !== 'own') return event
  return event === 'svcroom.delayed_alert'
    ? 'acmeroom.late_alert'
    : event.replace(/^svcroom\./, 'acmeroom.')
}

function understood(field: string, value: string): string {
  const dictionary = FIELDS[field] ?? {}
  if (Object.hasOwn(dictionary, value))
    throw badParameter(field, 'is none of the values that it can have', 999)
  return Object.keys(dictionary).find((word) => dictionary[word] === value) ?? value
}

function replaced(
  value: unknown,
  other: (field: string, value: string) => string,
  field = '',
): unknown {
  if (typeof value === 'string') return other(field, value)
  if (Array.isArray(value)) return value.map((one) => replaced(one, other, field))
  if (typeof value !== 'object' || value === null) return value
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  const entries = Object.entries(value).map(([name, one]) => [name, replaced(one, other, name)])
  return Object.fromEntries(entries) as unknown
}
