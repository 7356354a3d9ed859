import { cleanKey, cleanText } from '../../sandbox/base/clean-text.ts'
import type { Sandbox } from '../../sandbox/server/server.ts'
import { type Column, plainList } from '../../src/core/define/column.ts'
import { itemsOf, type Operation } from '../../src/core/define/operation.ts'
import {
  type RowContext,
  type SliceRequest,
  type Stream,
  valueOf,
} from '../../src/core/define/stream.ts'
import { nestedItems } from '../../src/core/records/prepare-row.ts'
import type { Window } from '../../src/core/time/spans.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import type { WireRecord } from '../../src/core/values/json.ts'
import { type Caller, oauthCaller, videoCaller } from './caller.ts'

export type Row = Record<string, unknown>

/** Reads a stream by its declaration, without the client or the engine, and returns its rows. */
export async function readStream(sandbox: Sandbox, stream: Stream, ordinal = 0): Promise<Row[]> {
  const rows = new Map<string, Row>()
  for (const { record, context } of await recordsOf(sandbox, stream, ordinal)) {
    const row = rowOf(stream, record, context)
    const key = JSON.stringify(stream.key.map((name) => row[name]))
    if (!rows.has(key)) rows.set(key, row)
  }
  return [...rows.values()]
}

export async function truthRows(
  sandbox: Sandbox,
  stream: Stream,
  account?: string,
): Promise<Row[]> {
  const rows: Row[] = []
  for await (const row of sandbox.truth(stream.name, account)) rows.push(row)
  return rows
}

export function byKey(stream: Stream, rows: readonly Row[]): Row[] {
  const key = (row: Row): string => JSON.stringify(stream.key.map((name) => row[name]))
  return rows
    .map((row) => Object.fromEntries(Object.keys(stream.columns).map((name) => [name, row[name]])))
    .sort((a, b) => (key(a) < key(b) ? -1 : 1))
}

interface Read {
  record: WireRecord
  context: RowContext
}

async function recordsOf(sandbox: Sandbox, stream: Stream, ordinal: number): Promise<Read[]> {
  const { sync } = stream
  const nowMs = sandbox.clock.now()
  // Reads the parents first, because a new token may end the token with which they are read.
  const parents =
    sync.kind === 'nested' || sync.kind === 'fan-out'
      ? await recordsOf(sandbox, sync.parent, ordinal)
      : []
  const caller = await callerOf(sandbox, stream.operation, ordinal)
  if (sync.kind === 'snapshot') return drainAll(caller, stream, sync.requests())
  if (sync.kind === 'windows') {
    const requests = []
    // With its overlap, a span by month must not be longer than a February.
    const spanDays = sync.byMonth === true ? 26 : sync.spanDays
    for (let toMs = nowMs; toMs > nowMs - 180 * DAY_MS; toMs -= spanDays * DAY_MS) {
      const fromMs = toMs - (spanDays + sync.overlapDays) * DAY_MS
      requests.push(sync.request({ fromMs: Math.max(fromMs, nowMs - 180 * DAY_MS), toMs }))
    }
    return drainAll(caller, stream, [...requests, ...(sync.besides?.() ?? [])])
  }
  const seen = new Set<string>()
  const reads: Read[] = []
  for (const { record, context } of parents) {
    const parentRow = rowOf(sync.parent, record, context)
    const key = sync.parent.key.map((name) => String(parentRow[name]))
    if (seen.has(key.join('\n'))) continue
    seen.add(key.join('\n'))
    if (sync.kind === 'fan-out' && key[0]?.startsWith(sync.nothingOf ?? '\n') === true) continue
    const span = spanOf(sync, parentRow)
    const items =
      sync.kind === 'nested'
        ? nestedItems(sync.items(record)).items
        : (await drainAll(caller, stream, [sync.request(key, span)])).map((read) => read.record)
    reads.push(...withOrdinals(stream, items, { key, record }))
  }
  return reads
}

function spanOf(sync: Stream['sync'], row: Row): Window | undefined {
  const within = sync.kind === 'fan-out' ? sync.within : undefined
  if (within === undefined) return undefined
  const [fromMs, toMs] = [within.from, within.to].map((name) => Date.parse(String(row[name])))
  return fromMs === undefined || toMs === undefined ? undefined : { fromMs, toMs }
}

function withOrdinals(
  stream: Stream,
  items: readonly WireRecord[],
  parent: { key: readonly string[]; record: WireRecord },
): Read[] {
  const seen = new Map<string, number>()
  return items.map((record) => {
    const first = { parent, ordinal: 0, filter: {} }
    const key = JSON.stringify(stream.key.map((name) => rowOf(stream, record, first)[name]))
    const ordinal = seen.get(key) ?? 0
    seen.set(key, ordinal + 1)
    return { record, context: { ...first, ordinal } }
  })
}

async function callerOf(sandbox: Sandbox, { bearer }: Operation, ordinal: number): Promise<Caller> {
  return bearer === 'jwt' ? videoCaller(sandbox, ordinal) : await oauthCaller(sandbox, ordinal)
}

async function drainAll(
  caller: Caller,
  { operation }: Stream,
  requests: readonly SliceRequest[],
): Promise<Read[]> {
  const reads: Read[] = []
  for (const { arguments: args, filter } of requests) {
    const { paging } = operation
    const size = paging?.style === 'token' ? { page_size: paging.maxPageSize } : {}
    const query = Object.entries({ ...size, ...args.query })
    const text = Object.fromEntries(query.map(([name, value]) => [name, String(value)]))
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const value = args.path?.[name] ?? ''
      const once = encodeURIComponent(value)
      // The documents require that such an ID is encoded twice.
      return name === 'sessionId' && /^[+/]|\/\//.test(value) ? encodeURIComponent(once) : once
    })
    for (const record of await recordsAt(caller, operation, { path, query: text }))
      reads.push({ record: record as WireRecord, context: { ordinal: 0, filter } })
  }
  return reads
}

/** Returns the records of a paged list, of a body that is an array, or of a body that is one record. */
async function recordsAt(
  caller: Caller,
  operation: Operation,
  { path, query }: { path: string; query: Record<string, string> },
): Promise<unknown[]> {
  const items = itemsOf(operation)
  if (items !== undefined) return caller.drain(path, items, query)
  const { status, body } = await caller.get(path, query)
  // Deleted and withheld things have no records.
  if (status === 403 || status === 404) return []
  if (status !== 200) throw new Error(`HTTP ${status}: ${JSON.stringify(body)}`)
  return Array.isArray(body) ? body : [body]
}

/** Returns a column's value in the form of the truth: a list, a boolean, or text for all other types. */
function keptOf({ pg, read }: Column, value: unknown): unknown {
  const text = read(value)
  if (text === undefined) return null
  if (pg === 'text[]') return plainList(value)
  return pg === 'boolean' ? text === 'true' : text
}

function rowOf(stream: Stream, record: WireRecord, context: RowContext): Row {
  const derived = stream.derive?.(record, context) ?? {}
  const row: Row = {}
  for (const [name, column] of Object.entries(stream.columns)) {
    const value = name in derived ? derived[name] : valueOf(stream, record, name)
    const kept = value === null || value === undefined ? null : keptOf(column, value)
    row[name] =
      typeof kept === 'string'
        ? stream.key.includes(name)
          ? cleanKey(kept)
          : cleanText(kept)
        : kept
  }
  return row
}
