import { plainList, plainString } from '../define/column.ts'
import type { RowContext, Stream } from '../define/stream.ts'
import type { Window } from '../time/spans.ts'
import type { WireRecord } from '../values/json.ts'
import { cleanJson, cutRow, knowsAny, type RecordFinding } from './map-record.ts'
import { blankTransient, hashOf, otherHash, printed } from './record-hash.ts'
import { keyOf } from './record-key.ts'
import type { CutChildren, PreparedRow, QuarantinedRecord } from './row-batch.ts'

interface Preparation {
  stream: Stream
  nestedStreams: readonly Stream[]
  findings: { stream: string; finding: RecordFinding }[]
  quarantined: QuarantinedRecord[]
}

/** Turns a new or changed record into its row and its nested rows, and reports unexpected values. */
export function prepareRow(
  preparation: Preparation,
  record: WireRecord,
  found: {
    key: readonly string[]
    context: RowContext
    /** The record as JSON, its transient values and secrets blanked. */
    text: string
    hash: Buffer
    source?: string | undefined
    slice?: string
    owned?: Window | undefined
  },
): PreparedRow {
  const { stream } = preparation
  const cut = cutRow(stream, record, found)
  for (const finding of cut.findings) preparation.findings.push({ stream: stream.name, finding })
  const raw = cleanJson(found.text)
  const cleaned = cut.cleaned || raw !== found.text
  const children = preparation.nestedStreams.map((child) =>
    cutChildren(preparation, child, {
      parent: { key: found.key, record },
      ordinal: 0,
      filter: {},
      words: found.context.words,
    }),
  )
  return {
    key: found.key,
    values: cut.values,
    raw,
    source: found.source ?? (cleaned ? found.text : null),
    // With another hash, each later read finds a record with a quarantined part changed and processes it.
    hash: children.every(({ whole }) => whole) ? found.hash : otherHash(found.hash),
    children,
    slice: found.slice,
    owned: found.owned,
    broken: cut.broken,
  }
}

function cutChildren(
  preparation: Preparation,
  stream: Stream,
  base: RowContext & { parent: { record: WireRecord } },
): CutChildren {
  const cut: CutChildren = { stream, rows: [], whole: true, given: true }
  if (stream.sync.kind !== 'nested') return cut
  const siblings = new Map<string, number>()
  const named = new Set<string>()
  const inner: Preparation = { ...preparation, stream, nestedStreams: [] }
  const { given, items } = nestedItems(stream.sync.items(base.parent.record))
  cut.given = given
  let aside = 0
  for (const item of items) {
    const refused = refusal(stream, item, base)
    if (refused !== undefined) {
      cut.whole = false
      const payload = blankTransient(JSON.stringify(item) ?? 'null', stream.transient)
      if (++aside <= MOST_ASIDE) preparation.quarantined.push({ stream, reason: refused, payload })
      continue
    }
    const text = printed(stream, item)
    // Two identical items with an ID count as one.
    if (plainString(item.id) && named.size === named.add(text).size) continue
    const first = keyOf(stream, item, base) as { key: string[] }
    const name = JSON.stringify(first.key)
    const ordinal = siblings.get(name) ?? 0
    siblings.set(name, ordinal + 1)
    const context = { ...base, ordinal }
    const { key } = keyOf(stream, item, context) as { key: string[] }
    cut.rows.push(prepareRow(inner, item, { key, context, text, hash: hashOf(text) }))
  }
  return cut
}

function refusal(stream: Stream, item: WireRecord, context: RowContext): string | undefined {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return 'not an object'
  // For example, the service sent an object whose values are the records, in place of a list.
  if (!knowsAny(stream, item)) return 'none of its fields is known'
  const result = keyOf(stream, item, context)
  return 'refused' in result ? result.refused : undefined
}

/**
 * The records of a nested list. A single record without a list counts as a list of one. If the value is
 * absent, or an empty text or object, the list is not `given`: it may be empty or omitted.
 */
export function nestedItems(value: unknown): { given: boolean; items: readonly WireRecord[] } {
  if (isNothing(value)) return { given: false, items: [] }
  return { given: true, items: plainList(value) as readonly WireRecord[] }
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  return typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0
}

/** The maximum number of quarantined parts stored for one record: more would add no information. */
const MOST_ASIDE = 100
