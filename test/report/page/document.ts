import type { Cell, ReportDocument, StreamedRows, Table } from '../../../src/core/define/report.ts'
import { rowBatches } from '../../../src/report/files/row-batches.ts'
import { htmlPieces } from '../../../src/report/page/html.ts'

/**
 * Texts that could be run as formulas or be changed on the way: control characters, lone surrogates,
 * digits, and text that looks like an escape.
 */
export const AWKWARD: readonly string[] = [
  '+14155550100',
  '=1+1',
  '=HYPERLINK("http://x.invalid","y")',
  '@SUM(A1)',
  '-2+3',
  '\t=1',
  '\r=1',
  ' =1',
  '\u00a0+1',
  '＝1',
  "'quoted",
  '007',
  '1234567890123456',
  'a\u0001b\u0000c',
  'lone \ud800 surrogate \udc00',
  '_x0041_',
  'a<b>&"c"',
  'two\nlines',
  'comma, "quote"',
  '𝄞 clef, 漢字',
]

export function table(rows: Table['rows'], title = 'List'): Table {
  return {
    kind: 'table',
    title,
    columns: [
      { name: 'number', title: 'Number', format: 'text' },
      { name: 'day', title: 'Day', format: 'date' },
      { name: 'share', title: 'Share', format: 'percent', tint: 'bad-share' },
      { name: 'quality', title: 'Quality', format: 'text', tint: 'quality' },
      { name: 'change', title: 'Change', format: 'percent', tint: 'delta' },
      { name: 'seconds', title: 'Duration', format: 'seconds' },
    ],
    rows,
  }
}

export function row(text: string): Cell[] {
  return [text, '2026-10-31', 0.25, 'bad', -0.1, 3_661]
}

export function exampleDocument(rows: Table['rows'] = AWKWARD.map(row)): ReportDocument {
  const days = ['1', '2', '3']
  const chart = { valueFormat: 'integer', categories: days } as const
  const series = [
    { name: 'good', tone: 'good', values: [5, 6, null] },
    { name: 'bad & <ugly>', tone: 'bad', values: [1, 2, 3] },
  ] as const
  return {
    title: 'Example & <report>',
    report: 'example',
    account: 'acme <& co>',
    subtitle: 'Account acme · 2026-10',
    asOfMs: Date.UTC(2026, 10, 20, 2),
    sections: [
      { title: 'Cover', blocks: [{ kind: 'note', tone: 'bad', text: 'Not complete.' }] },
      {
        title: 'Summary: a/b [c]?',
        blocks: [
          {
            kind: 'figures',
            title: 'Figures',
            figures: [
              { label: 'Bad', value: 0.5, before: 0.4, format: 'percent', better: 'lower' },
            ],
          },
          {
            kind: 'chart',
            title: 'Stack',
            width: 'half',
            chart: { type: 'stacked-bar', ...chart, series },
          },
          {
            kind: 'chart',
            title: 'Whole',
            width: 'half',
            chart: { type: 'stacked-bar-100', ...chart, series },
          },
          { kind: 'chart', title: 'Line', chart: { type: 'line', ...chart, series } },
          { kind: 'chart', title: 'Bar', chart: { type: 'bar', ...chart, series } },
        ],
      },
      { title: 'List', blocks: [table(rows)] },
      { title: 'Empty', blocks: [table([], 'Empty'), table([], 'Second')] },
      { title: 'Detail', detail: true, blocks: [table(streamed(rows), 'Detail')] },
    ],
  }
}

/** The whole HTML page of a document. */
export async function htmlPage(document: ReportDocument): Promise<string> {
  let page = ''
  for await (const piece of htmlPieces(document)) page += piece
  return page
}

export function streamed(rows: Table['rows']): StreamedRows {
  return {
    // biome-ignore lint: reads like a cursor, some rows at a time
    async *stream() {
      for await (const some of rowBatches(rows))
        for (let at = 0; at < some.length; at += 3) yield some.slice(at, at + 3)
    },
    first: async (limit) => ('stream' in rows ? rows.first(limit) : rows.slice(0, limit)),
  }
}
