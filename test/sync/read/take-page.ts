import type { SliceRequest, Stream } from '../../../src/core/define/stream.ts'
import { FingerprintTable } from '../../../src/core/records/fingerprint-table.ts'
import type { Batch } from '../../../src/core/records/row-batch.ts'
import { ShownKeys } from '../../../src/core/records/row-index.ts'
import type { PartFields } from '../../../src/core/records/row-part.ts'
import type { Window } from '../../../src/core/time/spans.ts'
import { applyPage } from '../../../src/sync/read/apply-page.ts'
import { noPageCounts } from '../../../src/sync/run/slice-reading.ts'
import { NOBODY } from '../../helpers/nobody.ts'
import { recognised } from './recognised.ts'

interface Given {
  owned?: Window
  parent?: string[]
  filter?: Record<string, string>
  nestedStreams?: Stream[]
  table?: FingerprintTable
  sequence?: number
  unread?: Window[]
  shown?: Window
  disproved?: SliceRequest['disproved']
  part?: PartFields
}

/** Applies one page of records to a table, by default an empty one. */
export function take(stream: Stream, text: string, given: Given = {}) {
  const batch: Batch = { fresh: [], known: [], quarantined: [], findings: [] }
  const { filter = {}, disproved, shown: asked } = given
  const request = { slice: 'slice', arguments: {}, filter, ...(disproved && { disproved }) }
  const own = { owned: given.owned, parent: given.parent, history: undefined }
  const slice = { request, ...own, ...(asked && { shown: asked }) }
  const table = given.table ?? new FingerprintTable()
  const page = recognised({ stream, table, slice }, text)
  const { nestedStreams = [], sequence = 1, unread = [] } = given
  const shown = new ShownKeys()
  const said = new Set<string>()
  const apart = new ShownKeys()
  const pageContext = {
    stream,
    nestedStreams,
    slice,
    alone: true,
    unread,
    table,
    suppression: NOBODY,
    batch,
    before: noPageCounts(),
    shown,
    nameless: new ShownKeys(),
    beside: { keys: new ShownKeys(), idle: false },
    said,
    contents: new Map(),
    apart,
    part: given.part,
    sequence,
  }
  const { counts, other } = applyPage(pageContext, page)
  return { batch, reading: counts, other, table, said, shown, apart }
}
