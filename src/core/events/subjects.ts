import { cleanText } from '../records/map-record.ts'
import { isSecretName } from '../records/record-hash.ts'
import { keyPart } from '../records/record-key.ts'
import { rawNumber } from '../values/json.ts'
import type { EventDefinition } from './definition.ts'

/**
 * Whom and what an event concerns, as `user:ID`, `email:ADDRESS`, `room:ID` and so on: what an erasure looks
 * for. Taken from every depth and from events that no document names too, since more than is meant does no
 * harm, and a person who is not found is not erased. Addresses are compared without regard to case, IDs as
 * keys are spelled.
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

/** Of a text that could not be taken apart: the addresses in it, and no more. */
export function addressesIn(text: string): string[] {
  const found = text.match(/[^\s"'<>,;:(){}[\]@/?=&]+@[^\s"'<>,;:(){}[\]@/?=&]+/g) ?? []
  return [...new Set(found.slice(0, MOST).flatMap((address) => named('', address)))]
}

function named(kind: string, text: string): string[] {
  if (ADDRESS.test(text))
    return [`email:${cleanText(text).normalize('NFC').toLowerCase()}`.slice(0, LONGEST)]
  return kind === '' ? [] : [`${kind}:${keyPart(text) ?? ''}`.slice(0, LONGEST)]
}

/** What a field names, by its name; nothing for a field that names nobody. */
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
/** An event names a handful; the index takes no text of any length. */
const MOST = 100
const LONGEST = 520
