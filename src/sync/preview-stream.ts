import { withNext } from '../api/answers/paging.ts'
import type { Page } from '../api/answers/payload.ts'
import { meansDeleted } from '../core/define/answer-meaning.ts'
import type { SliceRequest, Stream } from '../core/define/stream.ts'
import type { RecordFinding } from '../core/records/map-record.ts'
import { prepareRow } from '../core/records/prepare-row.ts'
import { hashOf, printed } from '../core/records/record-hash.ts'
import { keyOf, wireKey } from '../core/records/record-key.ts'
import { verdictOn } from '../core/records/row-part.ts'
import { inNeutralWords } from '../core/records/translate.ts'
import type { WireRecord } from '../core/values/json.ts'
import { type PlanFacts, planStream } from './plan/plan-stream.ts'
import type { EngineDeps } from './run/run-context.ts'
import { spanOf } from './sample-lists.ts'

type PreviewDeps = Pick<
  EngineDeps,
  'client' | 'clock' | 'words' | 'columns' | 'rows' | 'historyDays' | 'withoutTrash'
>

export interface Preview {
  /** The rows as they would be stored, in Postgres's text format and the order of the stream's columns. */
  rows: readonly (string | null)[][]
  /** Deviations of these records from the documents. */
  drift: readonly RecordFinding[]
  /** Records that are unreadable or without a usable key: they would be quarantined. */
  unusable: number
}

/** Reads up to ten records of a stream, and shows them as they would be stored. Stores nothing. */
export async function previewStream(
  deps: PreviewDeps,
  stream: Stream,
  signal: AbortSignal,
): Promise<Preview> {
  const rows: (string | null)[][] = []
  const findings: { stream: string; finding: RecordFinding }[] = []
  let unusable = 0
  const { sync } = stream
  const read = sync.kind === 'nested' ? sync.parent : stream
  for await (const { record, key: parent, filter } of records(deps, read, signal)) {
    const { words } = deps
    const above = parent && { parent: { key: parent, record: undefined } }
    const context = { ...above, ordinal: 0, filter, words }
    const found = record && keyOf(read, record, context)
    if (record === undefined || found === undefined || !('key' in found)) unusable++
    else {
      const text = printed(read, record)
      const nestedStreams = read === stream ? [] : [stream]
      const quarantined: unknown[] = []
      const preparation = { stream: read, nestedStreams, findings, quarantined: quarantined as [] }
      const row = prepareRow(preparation, record, { ...found, context, text, hash: hashOf(text) })
      unusable += quarantined.length
      const own = read === stream ? [row] : row.children.flatMap(({ rows: nested }) => nested)
      rows.push(...own.slice(0, MOST_RECORDS - rows.length).map(({ values }) => [...values]))
    }
    if (rows.length + unusable >= MOST_RECORDS) break
  }
  const drift = findings.flatMap(({ stream: of, finding }) => (of === stream.name ? [finding] : []))
  return { rows, drift, unusable }
}

interface Shown {
  /** Undefined if it is not an object, or nests too deep. */
  record: WireRecord | undefined
  /** The key of the parent whose list shows the record. */
  key: readonly string[] | undefined
  filter: SliceRequest['filter']
}

/** The records of a stream's first lists, page by page; of a fan-out, the lists of its first parents. */
async function* records(
  deps: PreviewDeps,
  stream: Stream,
  signal: AbortSignal,
): AsyncGenerator<Shown> {
  let calls = 0
  for await (const { request, key } of requests(deps, stream, signal)) {
    const { arguments: args, filter } = request
    let page: Page | undefined
    do {
      if (calls++ >= MOST_CALLS) return
      try {
        const asked = page === undefined ? args : withNext(page.asked, page.next)
        page = await deps.client.fetchPage(stream.operation, asked, { signal })
      } catch (error) {
        // The parent was deleted since it was listed, so the next parent's list is read.
        if (meansDeleted(stream.operation, error)) break
        throw error
      }
      const { records: found } = page
      const policy = deps.columns?.of(stream)
      const all = [...Array(found.count).keys()].map((at) => {
        const record = found.recordAt(at)
        return policy === undefined ? record : (policy.applied(record) as WireRecord | undefined)
      })
      found.release()
      for (const received of all) {
        const record = inPart(deps, stream, received)
        if (record !== 'outside') yield { record, key, filter }
      }
    } while (page.next !== undefined)
  }
}

/** Returns a record of the part that is kept, else 'outside'; undefined if a sync would quarantine it. */
function inPart(
  { rows, words }: PreviewDeps,
  stream: Stream,
  record: WireRecord | undefined,
): WireRecord | undefined | 'outside' {
  const part = rows?.[stream.name]
  if (part === undefined || record === undefined) return record
  const verdict = verdictOn(stream, part, inNeutralWords(words, stream.operation, record))
  return verdict === 'kept' ? record : verdict === 'outside' ? 'outside' : undefined
}

async function* requests(
  deps: PreviewDeps,
  stream: Stream,
  signal: AbortSignal,
): AsyncGenerator<{ request: SliceRequest; key: readonly string[] | undefined }> {
  const { sync } = stream
  if (sync.kind === 'fan-out') {
    for await (const { record, key: parent, filter } of records(deps, sync.parent, signal)) {
      const above = parent && { parent: { key: parent, record: undefined } }
      const context = { ...above, ordinal: 0, filter, words: deps.words }
      const found = record && keyOf(sync.parent, record, context)
      if (record === undefined || found === undefined || !('key' in found)) continue
      const { key } = found
      if (sync.nothingOf !== undefined && key[0]?.startsWith(sync.nothingOf)) continue
      yield { request: sync.request(key.map(wireKey), spanOf(stream, record)), key }
    }
    return
  }
  const { historyDays, withoutTrash, clock } = deps
  const time = { nowMs: clock.now(), historyDays, withoutTrash }
  const facts: PlanFacts = { ...time, chainRunId: 0, histories: new Map(), full: true }
  const groups = planStream(stream, facts).filter(({ incremental }) => incremental !== true)
  for (const { slices } of groups)
    for (const { request } of slices) if (request.ifMore !== true) yield { request, key: undefined }
}

const MOST_RECORDS = 10
/** The maximum number of calls for each list level: a few empty windows are normal. */
const MOST_CALLS = 20
