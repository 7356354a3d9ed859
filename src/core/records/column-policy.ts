import { createHmac } from 'node:crypto'
import { fieldsOf, type Stream } from '../define/stream.ts'
import { isRecord, parseLossless, rawNumber } from '../values/json.ts'
import { foldText } from '../values/text.ts'
import { decidesKey, fieldsRead } from './column-rules.ts'

/** `drop`: the field is absent from all that is stored. `hash`: a digest replaces its value. */
export type ColumnAction = 'drop' | 'hash'
/** By stream, then by field of its records. A dot leads into a field that contains objects. */
export type ColumnSettings = Readonly<Record<string, Readonly<Record<string, ColumnAction>>>>

/** The fields of records that an account must not store. */
export interface ColumnPolicy {
  settings: ColumnSettings
  /** Undefined if records of the stream are stored as they are. */
  of(stream: Stream): RecordPolicy | undefined
  /** By field name at any depth, for notifications; undefined if they are stored as they are. */
  notifications: RecordPolicy | undefined
  /** A digest under the account's key, for digests of whole records that contained a value. */
  digest(content: Uint8Array): Buffer
  /** Shows whether two machines hash alike; undefined if nothing is hashed. */
  keyMark: string | undefined
}

/** Applies a policy to the records of one stream, or to notifications. */
export interface RecordPolicy {
  /**
   * Drops and hashes fields. Digests stay, since a stored record may be under the policy already. In a
   * stream, anything but an object becomes null, since no field can be found in it.
   */
  applied(record: unknown): unknown
  /** `applied` for JSON text. */
  appliedTo(source: string): string
  /** A part of some keys is hashed, so these rows cannot be requested by their key. */
  hashesKeys: boolean
}

interface Rule {
  path: readonly string[]
  action: ColumnAction
}

export function openColumnPolicy(
  settings: ColumnSettings,
  { streams, key }: { streams: readonly Stream[]; key: () => Uint8Array },
): ColumnPolicy {
  const made = new Map<Stream, RecordPolicy | undefined>()
  const hashes = Object.values(settings).some((own) => Object.values(own).includes('hash'))
  const all = Object.entries(settings[NOTIFICATIONS] ?? {})
  const digest = (content: Uint8Array | string): Buffer =>
    createHmac('sha256', key()).update(content).digest()
  const hash: Hash = (value) => {
    if (typeof value === 'string' && isHashed(value)) return value
    const text = typeof value === 'string' ? folded(value) : JSON.stringify(value)
    return `${HASHED}${digest(text).toString('hex')}`
  }
  return {
    settings,
    digest,
    keyMark: hashes ? digest('columns').toString('hex').slice(0, 16) : undefined,
    notifications:
      all.length === 0 ? undefined : policyOf((record) => withoutNames(record, new Map(all), hash)),
    of(stream) {
      if (!made.has(stream)) made.set(stream, makePolicy(stream, { settings, streams, hash }))
      return made.get(stream)
    },
  }
}

function makePolicy(
  stream: Stream,
  { settings, streams, hash }: { settings: ColumnSettings; streams: readonly Stream[]; hash: Hash },
): RecordPolicy | undefined {
  const rules = [...rulesOf(stream, settings, [])]
  for (const child of streams) {
    const { sync } = child
    if (sync.kind === 'nested' && sync.parent === stream)
      rules.push(
        ...rulesOf(
          child,
          settings,
          fieldsRead((record) => sync.items(record)),
        ),
      )
  }
  if (rules.length === 0) return undefined
  const own = Object.entries(settings[stream.name] ?? {})
  const hashesKeys = own.some(([field, action]) => action === 'hash' && decidesKey(stream, field))
  const applied = (record: unknown): unknown => {
    if (!isRecord(record)) return null
    return rules.reduce<unknown>((left, rule) => changed(left, rule, hash), record)
  }
  return { ...policyOf(applied), hashesKeys }
}

function policyOf(applied: RecordPolicy['applied']): RecordPolicy {
  const appliedTo = (source: string): string => JSON.stringify(applied(parseLossless(source)))
  return { applied, appliedTo, hashesKeys: false }
}

type Hash = (value: unknown) => unknown

/** Addresses are compared without case, so they are hashed without it: equal ones have equal digests. */
function folded(text: string): string {
  return ADDRESS.test(text.trim()) ? foldText(text.trim()).toLowerCase() : text
}

/** The rules of a stream's own records, or of those nested in the records of its parent. */
function rulesOf(stream: Stream, settings: ColumnSettings, within: readonly string[]): Rule[] {
  return Object.entries(settings[stream.name] ?? {}).flatMap(([field, action]) => {
    const [first = '', ...rest] = field.split('.')
    return fieldsOf(stream, first).map((name) => ({ path: [...within, name, ...rest], action }))
  })
}

/** Drops or hashes the field at the path; in a list, in each of its items. */
function changed(value: unknown, { path, action }: Rule, hash: Hash): unknown {
  const [name = '', ...rest] = path
  if (Array.isArray(value)) return value.map((item) => changed(item, { path, action }, hash))
  if (value === undefined || value === null) return value
  // A text or number in place of an object may contain the field, so it becomes null.
  if (!isRecord(value) || rawNumber(value) !== undefined) return null
  if (!Object.hasOwn(value, name)) return value
  const { [name]: inner, ...others } = value
  if (rest.length > 0) return { ...value, [name]: changed(inner, { path: rest, action }, hash) }
  return action === 'drop' ? others : { ...value, [name]: hashed(inner, hash) }
}

function hashed(value: unknown, hash: Hash): unknown {
  if (value === undefined || value === null || value === '') return value
  return Array.isArray(value) ? value.map((item: unknown) => hashed(item, hash)) : hash(value)
}

function withoutNames(
  value: unknown,
  names: ReadonlyMap<string, ColumnAction>,
  hash: Hash,
): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNames(item, names, hash))
  if (!isRecord(value) || rawNumber(value) !== undefined) return value
  const kept = Object.entries(value).flatMap(([name, inner]) => {
    const action = names.get(name)
    if (action === 'drop') return []
    return [[name, action === 'hash' ? hashed(inner, hash) : withoutNames(inner, names, hash)]]
  })
  return Object.fromEntries(kept)
}

/** Whether a text is a digest that a policy put in place of a value, or a key made of one. */
export function isHashed(text: string): boolean {
  return HASH.test(text)
}

const ADDRESS = /^[^\s@]+@[^\s@]+$/
export const NOTIFICATIONS = 'notifications'
const HASHED = 'hmac:'
const HASH = /(?:^|:)hmac:[0-9a-f]{64}$/
