import { cleanText } from '../records/map-record.ts'
import { isSecretName } from '../records/record-hash.ts'
import { keyPart } from '../records/record-key.ts'
import { rawNumber } from '../values/json.ts'
import type { EventDefinition } from './definition.ts'

/**
 * The persons and things that an event concerns, as `user:ID`, `email:ADDRESS`, `room:ID` and so on, for an
 * erasure to find. Collected at every depth and also from undocumented events: an extra entry does no harm,
 * but an erasure would miss a person without one. Addresses ignore case, IDs are spelled as in keys.
 */
export function subjectsOf(payload: unknown, id: EventDefinition['id']): string[] {
  const found = new Set<string>()
  const add = (kind: string, value: unknown): void => {
    const text = typeof value === 'string' ? value : (rawNumber(value) ?? asDigits(value))
    if (text === undefined || text === '' || found.size >= MOST) return
    for (const subject of named(kind, text)) found.add(subject)
  }
  const walk = (value: unknown, name: string): void => {
    if (Array.isArray(value)) for (const item of value) walk(item, name)
    else if (!isRecord(value)) add(kindOf(name, id), value)
    else for (const [key, inner] of Object.entries(value)) if (!isSecretName(key)) walk(inner, key)
  }
  walk(payload, '')
  return [...found]
}

/** Up to 100 addresses in a text that could not be parsed. */
export function addressesIn(text: string): string[] {
  const found = text.match(/[^\s"'<>,;:(){}[\]@/?=&]+@[^\s"'<>,;:(){}[\]@/?=&]+/g) ?? []
  return [...new Set(found.slice(0, MOST).flatMap((address) => named('', address)))]
}

function named(kind: string, text: string): string[] {
  if (ADDRESS.test(text))
    return [`email:${cleanText(text).normalize('NFC').toLowerCase()}`.slice(0, LONGEST)]
  return kind === '' ? [] : [`${kind}:${keyPart(text) ?? ''}`.slice(0, LONGEST)]
}

/** The kind of person or thing that a field names, by the field's name; empty if it names none. */
function kindOf(name: string, id: EventDefinition['id']): string {
  if (name === 'id') return id ?? ''
  const [, kind = ''] = NAMES.find(([pattern]) => pattern.test(name)) ?? []
  return kind
}

function asDigits(value: unknown): string | undefined {
  return typeof value === 'number' ? String(value) : undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && rawNumber(value) === undefined
}

const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^(user|host|operator|owner|member|participant)_id$/, 'user'],
  [/^reserve_for$/, 'user'],
  [/^invitation_id$/, 'invitation'],
  [/^room_id$/, 'room'],
  [/^(workspace|desk)_id$/, 'workspace'],
  [/^(invite_)?location_id$/, 'location'],
]
const ADDRESS = /^[^\s@/:?=&]+@[^\s@/:?=&]+$/
/** The maximum number of subjects of an event; no documented event has as many. */
const MOST = 100
/** The maximum length of a subject: the index accepts only short texts. */
const LONGEST = 520
