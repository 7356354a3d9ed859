import { type RowContext, type Stream, valueOf } from '../core/define/stream.ts'
import type { ColumnPolicy } from '../core/records/column-policy.ts'
import { rewrittenHash } from '../core/records/record-hash.ts'
import { keyPart } from '../core/records/record-key.ts'
import { parseLossless, type WireRecord } from '../core/values/json.ts'
import { byteaText } from '../warehouse/schema/table-sql.ts'
import type { StoredVersion } from './sql/erasure-rows.ts'

/** Returns the columns of a stored version that the policy changes; undefined if it changes none. */
export function rewrittenVersion(
  stream: Stream,
  policy: ColumnPolicy,
  { row, source }: Pick<StoredVersion, 'row' | 'source'>,
): { patch: string; columns: string[] } | undefined {
  const own = policy.of(stream)
  if (own === undefined) return undefined
  const stored = parseLossless(row) as Record<string, unknown>
  const { _raw: before } = stored as { _raw: WireRecord }
  const after = own.applied(before) as WireRecord
  const columns = columnsIn(stream, stored, own.applied(directly(stream, stored)) as WireRecord)
  const context = contextOf(stream, stored)
  const [was, is] = [before, after].map((record) => valuesOf(stream, record, context))
  for (const name of Object.keys(stream.columns))
    if (differs(was?.[name], is?.[name]))
      columns[name] = (stream.key.includes(name) ? keyPart(is?.[name]) : is?.[name]) ?? null
  const text = source === null ? undefined : own.appliedTo(source)
  const bytes = text === undefined || text === source ? undefined : text
  if (Object.keys(columns).length === 0 && !differs(before, after) && bytes === undefined)
    return undefined
  const patch = {
    ...columns,
    _raw: after,
    ...(bytes === undefined ? {} : { _bytes: byteaText(Buffer.from(bytes)) }),
    _hash: byteaText(rewrittenHash(JSON.stringify([columns, after, text]))),
  }
  return { patch: JSON.stringify(patch), columns: Object.keys(patch) }
}

/** The stored values of all columns outside the key, by name. */
function directly({ columns, key }: Stream, stored: WireRecord): WireRecord {
  const names = Object.keys(columns).filter((name) => !key.includes(name))
  return Object.fromEntries(names.map((name) => [name, stored[name]]))
}

/** The columns whose stored value differs from the value that the policy left; null if it left none. */
function columnsIn(stream: Stream, stored: WireRecord, left: WireRecord): Record<string, unknown> {
  return Object.fromEntries(
    Object.keys(directly(stream, stored)).flatMap((name) => {
      const value = left[name] ?? null
      return differs(stored[name] ?? null, value) ? [[name, value]] : []
    }),
  )
}

function valuesOf(stream: Stream, record: WireRecord, context: RowContext): WireRecord {
  const own = Object.keys(stream.columns).map((name) => [name, valueOf(stream, record, name)])
  return { ...Object.fromEntries(own), ...stream.derive?.(record, context) }
}

function contextOf({ sync, key }: Stream, stored: WireRecord): RowContext {
  const isChild = sync.kind === 'nested' || sync.kind === 'fan-out'
  const parent = { key: [String(stored[key[0] ?? ''])], record: undefined }
  return { ordinal: Number(stored.ordinal ?? 0), filter: {}, ...(isChild ? { parent } : {}) }
}

function differs(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) !== JSON.stringify(b)
}
