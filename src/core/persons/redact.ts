import type { RowContext, Stream } from '../define/stream.ts'
import { rawNumber, type WireRecord } from '../values/json.ts'
import { identityOf } from './identity.ts'
import type { Suppression } from './suppression.ts'

/** What an erasure does with a record: `about` deletes it, `named` stores it without the person. */
export type Redaction =
  | { verdict: 'untouched' }
  | { verdict: 'about' }
  | { verdict: 'named'; record: WireRecord }

/**
 * Decides by a record's own fields whether it is about a person (`isAbout`). If not, removes the person: an
 * object or text that names the person is dropped from a list, any other such value becomes null, and an
 * address or ID in a longer text is cut out. If one was found, the person's name is removed too, from fields
 * that the stream declares personal or that end in `name`.
 */
export function redactRecord(
  stream: Stream,
  record: WireRecord,
  { suppression, context }: { suppression: Suppression; context: RowContext },
): Redaction {
  if (suppression.empty) return UNTOUCHED
  const row = { ...record, ...stream.derive?.(record, context) }
  if (isAbout(stream, row, suppression)) return { verdict: 'about' }
  const redacted = redactValue(stream, record, { suppression })
  return redacted === record ? UNTOUCHED : { verdict: 'named', record: redacted as WireRecord }
}

/**
 * Whether a row is about a person: one of its subject columns names them. Addresses are reassigned: if the
 * first subject column has another person's ID and only an address matches, the person's name must match too.
 */
export function isAbout(
  { subject = [], personal }: Pick<Stream, 'subject' | 'personal'>,
  row: Readonly<Record<string, unknown>>,
  suppression: Suppression,
): boolean {
  const named = subject
    .map((column) => row[column])
    .filter((value) => isPersonValue(suppression, value))
  if (named.length === 0) return false
  const first = row[subject[0] ?? '']
  if (!isId(first) || isPersonValue(suppression, first) || named.some(isId)) return true
  return new Walk(suppression, personal).namesIn(row).length > 0
}

/**
 * Removes the persons on the list from any JSON value; returns the identical value if it names none of them.
 * `beside`: the surrounding data names the person.
 */
export function redactValue(
  { personal }: Pick<Stream, 'personal'>,
  value: unknown,
  { suppression, beside = false }: { suppression: Suppression; beside?: boolean },
): unknown {
  if (suppression.empty) return value
  const walk = new Walk(suppression, personal)
  const once = walk.of(value, '', true)
  const left = walk.personFound || beside ? walk.withoutNames(once) : once
  return left === GONE ? null : left
}

class Walk {
  personFound = false
  private readonly suppression: Suppression
  private readonly personal: ReadonlySet<string>

  constructor(suppression: Suppression, personal: readonly string[]) {
    this.suppression = suppression
    this.personal = new Set(personal)
  }

  /** Removes the person's name from the record's own fields only: lists may name a namesake. */
  withoutNames(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const named = this.namesIn(value as Record<string, unknown>)
    if (named.length === 0) return value
    return { ...value, ...Object.fromEntries(named.map((name) => [name, null])) }
  }

  /** The fields that contain the person's name, or half of it. */
  namesIn(value: Readonly<Record<string, unknown>>): string[] {
    return this.inHalves(value) === undefined
      ? this.fields(value)
      : [...HALVES, ...this.fields(value)]
  }

  /** How the name in `first_name` and `last_name` counts; undefined if it is not a listed person's. */
  private inHalves(value: Readonly<Record<string, unknown>>): 'beside' | 'everywhere' | undefined {
    const halves = HALVES.map((name) => value[name])
    return halves.every((half) => typeof half === 'string')
      ? this.suppression.nameCounts(halves.join(' '))
      : undefined
  }

  private fields(value: Readonly<Record<string, unknown>>): string[] {
    return Object.entries(value).flatMap(([name, inner]) =>
      typeof inner === 'string' &&
      this.mayName(name) &&
      this.suppression.nameCounts(inner) !== undefined
        ? [name]
        : [],
    )
  }

  /** Returns `GONE` if the value must be removed from its container. */
  of(value: unknown, field: string, outermost = false): unknown {
    if (typeof value === 'string') return this.text(value, field)
    if (Array.isArray(value)) return this.list(value, field)
    if (typeof value !== 'object' || value === null) return this.digits(value, field)
    if (rawNumber(value) !== undefined) return this.digits(value, field)
    return this.object(value as Record<string, unknown>, outermost)
  }

  private text(value: string, field: string): unknown {
    if (this.suppression.isPerson(value)) return this.found()
    if (this.mayName(field) && this.suppression.nameCounts(value) === 'everywhere') return GONE
    const left = this.suppression.withoutPersons(value)
    if (left !== value) this.personFound = true
    return left
  }

  /** A number is an ID only if the field's name says so. */
  private digits(value: unknown, field: string): unknown {
    if (!/(^|_)id$/i.test(field)) return value
    return isPersonValue(this.suppression, value) ? this.found() : value
  }

  private list(values: readonly unknown[], field: string): unknown {
    const kept = values.map((value) => this.of(value, field)).filter((value) => value !== GONE)
    return kept.length === values.length && kept.every((value, at) => value === values[at])
      ? values
      : kept
  }

  private object(value: Record<string, unknown>, outermost: boolean): unknown {
    const kept: Record<string, unknown> = Object.create(null) as Record<string, unknown>
    let same = true
    const named = this.inHalves(value) === 'everywhere' ? HALVES : []
    if (named.length > 0 && !outermost) return GONE
    for (const [name, inner] of Object.entries(value)) {
      if (this.suppression.isPerson(name)) {
        this.found()
        same = false
        continue
      }
      const scalar = !Array.isArray(inner) && (typeof inner !== 'object' || inner === null)
      const left = named.includes(name) ? GONE : this.of(inner, name)
      // An object is about the person if one of its fields, or both halves of a name, names them.
      if (left === GONE && scalar && !outermost && this.isNaming(name, inner)) return GONE
      kept[name] = left === GONE ? null : left
      same &&= left === inner
    }
    return same ? value : kept
  }

  private isNaming(name: string, inner: unknown): boolean {
    return isPersonValue(this.suppression, inner) || this.mayName(name)
  }

  private mayName(field: string): boolean {
    return this.personal.has(field) || /name$/i.test(field)
  }

  private found(): typeof GONE {
    this.personFound = true
    return GONE
  }
}

/** Whether a value in the place of an ID or an address names somebody on the list. */
export function isPersonValue(suppression: Suppression, value: unknown): boolean {
  if (typeof value === 'string') return suppression.isPerson(value)
  const digits = rawNumber(value) ?? (typeof value === 'number' ? String(value) : undefined)
  return digits !== undefined && suppression.isPerson(digits)
}

function isId(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '' && identityOf(value).kind === 'id'
  return typeof value === 'number' || rawNumber(value) !== undefined
}

const HALVES = ['first_name', 'last_name']
const GONE = Symbol('gone')
const UNTOUCHED: Redaction = { verdict: 'untouched' }
