import type {
  Cell,
  ChartBlock,
  Figure,
  ReportDocument,
  Section,
  Table,
  TableColumn,
} from '../../core/define/report.ts'
import { slug } from '../../core/values/slug.ts'

/** A table for one file, in formats that only have tables. */
export interface FileTable {
  /** The part of the file name between the report's name and the ending. */
  part: string
  /** The section's title; undefined for tables over all sections. */
  section: string | undefined
  table: Table
}

/**
 * Returns all blocks of a document as tables with raw values: all notes and all figures in document order,
 * then each table and chart. A name depends only on the section's title and on the block's title or `file`,
 * so that programs find the same table every month, even if other sections come and go. Equal names get
 * numbers.
 */
export function documentTables({ sections }: ReportDocument): FileTable[] {
  const taken = new Set<string>()
  const own = sections.flatMap((section) =>
    section.blocks.flatMap((block): FileTable[] => {
      if (block.kind !== 'table' && block.kind !== 'chart') return []
      const table = block.kind === 'table' ? block : chartTable(block)
      const part = free(partOf(section, block), taken)
      return [{ part, section: section.title, table }]
    }),
  )
  return [
    { part: '00-notes', section: undefined, table: notesTable(sections) },
    { part: '00-figures', section: undefined, table: figuresTable(sections) },
    ...own,
  ]
}

function partOf(section: Section, block: Table | ChartBlock): string {
  const { title, file = title } = block
  const own = title === section.title ? [] : [slug(file)]
  const name = [slug(section.title), ...own].join('.')
  return block.kind === 'chart' ? `${name}-chart` : name
}

function free(name: string, taken: Set<string>): string {
  let part = name
  for (let number = 2; taken.has(part); number++) part = `${name}-${number}`
  taken.add(part)
  return part
}

function chartTable({ title, chart }: ChartBlock): Table {
  const { categories, series, valueFormat: format } = chart
  const named = series.map(({ name }): TableColumn => ({ name, title: name, format }))
  const rows = categories.map((category, at) => [
    category,
    ...series.map(({ values }) => values[at] ?? null),
  ])
  return { kind: 'table', title, columns: [text('category', 'Category'), ...named], rows }
}

function notesTable(sections: readonly Section[]): Table {
  const rows = sections.flatMap(({ title, blocks }) =>
    blocks.flatMap((block, at): Cell[][] =>
      block.kind === 'note' ? [[title, at + 1, block.tone, block.text]] : [],
    ),
  )
  const columns = [...PLACE, text('tone', 'Tone'), text('text', 'Text')]
  return { kind: 'table', title: 'Notes', columns, rows }
}

/** Puts values that are not numbers into a text column, so that each column has one type. */
function figuresTable(sections: readonly Section[]): Table {
  const rows = sections.flatMap(({ title, blocks }) =>
    blocks.flatMap((block, at): Cell[][] =>
      block.kind !== 'figures'
        ? []
        : block.figures.map((figure) => [
            title,
            at + 1,
            block.title,
            ...figureCells(figure, block.beforeLabel ?? null),
          ]),
    ),
  )
  return { kind: 'table', title: 'Figures', columns: [...PLACE, ...FIGURE], rows }
}

function figureCells({ label, value, format, before }: Figure, beforeLabel: string | null): Cell[] {
  const both = typeof value === 'number' && typeof before === 'number'
  return [
    label,
    format,
    ...split(value),
    beforeLabel,
    ...split(before ?? null),
    both ? value - before : null,
  ]
}

function split(value: Cell): [number | null, string | null] {
  if (value === null) return [null, null]
  return typeof value === 'number' ? [value, null] : [null, String(value)]
}

function text(name: string, title: string): TableColumn {
  return { name, title, format: 'text' }
}

/** The position in the document: the section's title and the number of the block. */
const PLACE: readonly TableColumn[] = [
  text('section', 'Section'),
  { name: 'block', title: 'Block', format: 'integer' },
]
const FIGURE: readonly TableColumn[] = [
  text('title', 'Title'),
  text('label', 'Label'),
  text('format', 'Format'),
  { name: 'value', title: 'Value', format: 'decimal' },
  text('value_text', 'Text value'),
  text('before_label', 'Label before'),
  { name: 'before', title: 'Before', format: 'decimal' },
  text('before_text', 'Text before'),
  { name: 'change', title: 'Change', format: 'decimal' },
]
