import type { z } from 'zod'
import type { Words } from '../define/own-words.ts'
import { cleanText } from '../records/map-record.ts'
import { keyPart } from '../records/record-key.ts'
import { neutralEvent } from '../records/translate.ts'
import type { EventDefinition, Says } from './definition.ts'
import { type EventTime, eventTime, fieldOf } from './event-time.ts'
import { definitionOf, REMOVAL } from './events.ts'
import { subjectsOf } from './subjects.ts'

/**
 * The outcome of an event. `applied`: it reports a thing's state, or that a user removed the app. `stored`:
 * it reports no state. `unmatched`: it does not identify its thing or state. `ahead`: its time is over a day
 * ahead. `unknown`: it is undocumented. `foreign`: it names another account or app. `unparsed`: it is not
 * JSON that the database accepts.
 */
export type EventState =
  | 'applied'
  | 'stored'
  | 'unmatched'
  | 'ahead'
  | 'unknown'
  | 'foreign'
  | 'unparsed'

export interface ReadEvent {
  /** The name as text that the database accepts, with known words made neutral; empty if it is absent. */
  event: string
  time: EventTime
  state: EventState
  subjects: readonly string[]
  /** The deviations from the documents: kind and place, never the value. */
  findings: readonly string[]
  says?: NotifiedState
  removal?: Removal
}

export interface NotifiedState {
  thing: string
  key: readonly string[]
  state: string
  rank: number
}

export interface Removal {
  subject: string
  /** ISO text, or null if it is missing or not a time. */
  at: string | null
}

/** The account and app that events must come from; null is not compared. */
export interface EventOwner {
  accountId: string | null
  clientId: string | null
}

/** Reads a parsed notification. Never throws, whatever the content. */
export function readEvent(
  body: unknown,
  { owner, nowMs, words }: { owner: EventOwner; nowMs: number; words?: Words | undefined },
): ReadEvent {
  const given = fieldOf(body, 'event')
  const name = typeof given === 'string' ? neutralEvent(words, given) : ''
  const definition = definitionOf(name)
  const payload = fieldOf(body, 'payload')
  const fields = definition?.event === REMOVAL ? payload : fieldOf(payload, 'object')
  const time = eventTime(body, nowMs)
  const read: ReadEvent = {
    event: cleanText(name.slice(0, LONGEST_NAME)),
    time,
    state: 'unknown',
    subjects: subjectsOf(payload, definition?.id),
    findings: [],
  }
  if (isForeign(payload, owner)) return { ...read, state: 'foreign' }
  if (definition === undefined) return read
  const findings = [...timeFindings(time), ...findingsOf(definition, fields)]
  const told = { ...read, findings, state: time.ahead ? 'ahead' : 'stored' } as const
  if (time.ahead) return told
  if (definition.event === REMOVAL) return removalOf(told, fields)
  return saidBy(told, { definition, fields })
}

/** Whether an event names another account or app. One that names none is not foreign. */
function isForeign(payload: unknown, { accountId, clientId }: EventOwner): boolean {
  return (
    differs(fieldOf(payload, 'account_id'), accountId) ||
    differs(fieldOf(payload, 'client_id'), clientId)
  )
}

function differs(given: unknown, own: string | null): boolean {
  return own !== null && typeof given === 'string' && given !== '' && given !== own
}

function removalOf(told: ReadEvent, fields: unknown): ReadEvent {
  const user = keyPart(fieldOf(fields, 'user_id'))
  if (user === undefined || user === '') return { ...told, state: 'unmatched' }
  const { at } = eventTime({ event_ts: fieldOf(fields, 'deauthorization_time') }, 0)
  return { ...told, state: 'applied', removal: { subject: `user:${user}`, at } }
}

function saidBy(
  told: ReadEvent,
  { definition, fields }: { definition: EventDefinition; fields: unknown },
): ReadEvent {
  const says = saysOf(definition, fields)
  if (says === undefined)
    return definition.saysBy === undefined ? told : { ...told, state: 'unmatched' }
  const { thing, state, rank } = says
  const key = says.key.map((name) => keyPart(fieldOf(fields, name)) ?? '')
  if (key.some((part) => part === '' || part.length > LONGEST_KEY))
    return { ...told, state: 'unmatched' }
  return { ...told, state: 'applied', says: { thing, key, state, rank } }
}

function saysOf({ says, saysBy }: EventDefinition, fields: unknown): Says | undefined {
  if (saysBy === undefined) return says
  const value = keyPart(fieldOf(fields, saysBy.field)) ?? ''
  return Object.hasOwn(saysBy.by, value) ? saysBy.by[value] : undefined
}

function timeFindings({ received, at }: EventTime): string[] {
  if (received === null) return ['missing event_ts']
  return at === null ? ['broken event_ts'] : []
}

function findingsOf({ fields: schema }: EventDefinition, fields: unknown): string[] {
  const result = schema.safeParse(fields)
  const issues = result.success ? [] : result.error.issues.map(toFinding)
  const known = new Set(Object.keys(schema.shape))
  const names = typeof fields === 'object' && fields !== null ? Object.keys(fields) : []
  const unknown = names.filter((name) => !known.has(name)).map((name) => `unknown_field ${name}`)
  return [...issues, ...unknown]
    .slice(0, MOST_FINDINGS)
    .map((text) => cleanText(text.slice(0, 200)))
}

function toFinding({ code, path }: z.core.$ZodIssue): string {
  return `${code === 'invalid_value' ? 'unknown_value' : 'broken_value'} ${path.join('.')}`
}

const LONGEST_NAME = 200
const LONGEST_KEY = 512
const MOST_FINDINGS = 20
