import type { Cell, StreamedRows, TableColumn } from '../src/core/define/report.ts'
import { renderParquet } from '../src/report/files/parquet.ts'
import { renderHtml } from '../src/report/page/html.ts'
import { serveOrder } from './child.ts'
import { peakBytes } from './peak-memory.ts'

export interface PageOrder {
  path: string
  rows: number
  /** A page if it is not said. */
  format?: 'html' | 'parquet'
}

export interface WrittenPage {
  wallMs: number
  peakBytes: number
}

/** A page or a Parquet file of one table whose rows come as a cursor's do, some hundred at a time. */
async function write({ path, rows, format = 'html' }: PageOrder): Promise<WrittenPage> {
  const startedMs = performance.now()
  const table = { kind: 'table', title: 'Numbers', columns: COLUMNS, rows: made(rows) } as const
  if (format === 'parquet') await renderParquet(table, path, { 'callsheet.account': 'bench' })
  else
    await renderHtml(
      {
        title: 'Numbers',
        report: 'numbers',
        account: 'bench',
        subtitle: 'Account bench',
        asOfMs: 0,
        sections: [{ title: 'Numbers', blocks: [table] }],
      },
      path,
    )
  return { wallMs: performance.now() - startedMs, peakBytes: peakBytes() }
}

function made(count: number): StreamedRows {
  const batch = (from: number, size: number) =>
    Array.from({ length: Math.min(size, count - from) }, (_none, at) => rowOf(from + at))
  return {
    // biome-ignore lint: reads like a cursor, some rows at a time
    async *stream() {
      for (let from = 0; from < count; from += 500) yield batch(from, 500)
    },
    first: (limit) => Promise.resolve(batch(0, limit)),
  }
}

function rowOf(at: number): Cell[] {
  const mixed = (at * 7_919) % 200_003
  return [
    `+1415${String(mixed).padStart(7, '0')}`,
    PRODUCTS[mixed % 3] ?? null,
    `Office ${mixed % 90}`,
    at % 7 === 0 ? null : `Person ${mixed} Müller-Lüdenscheidt`,
    `person.${mixed}@corp.example`,
    (mixed % 997) / 997,
    mixed % 5_000,
    mixed,
    mixed % 2 === 0,
    `2026-0${1 + (mixed % 9)}-1${mixed % 10}T0${mixed % 10}:30:00`,
    `2025-0${1 + (mixed % 9)}-2${mixed % 10}`,
    mixed % 11 === 0 ? 'incomplete' : 'complete',
  ]
}

const PRODUCTS = ['SVC_PHONE', 'SVC_CONTACT_CENTER', 'UNALLOCATED']
const COLUMNS: readonly TableColumn[] = [
  { name: 'number', title: 'Number', format: 'text' },
  { name: 'product', title: 'Product', format: 'text' },
  { name: 'site', title: 'Site', format: 'text' },
  { name: 'name', title: 'Name', format: 'text' },
  { name: 'email', title: 'E-mail', format: 'text' },
  { name: 'share', title: 'Share', format: 'percent', tint: 'bad-share' },
  { name: 'sessions', title: 'Sessions', format: 'integer' },
  { name: 'duration', title: 'Duration', format: 'seconds' },
  { name: 'open', title: 'Open', format: 'boolean' },
  { name: 'changed', title: 'Changed', format: 'instant' },
  { name: 'since', title: 'Since', format: 'date' },
  { name: 'state', title: 'State', format: 'text', tint: 'state' },
]

await serveOrder(write)
