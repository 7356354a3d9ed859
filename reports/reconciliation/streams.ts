import type { Cell, Section, Table, TableColumn } from '../../src/core/define/report.ts'
import { section } from '../shared/blocks.ts'
import type { Line } from './lines.ts'
import { WORST_FIRST } from './verdict.ts'

interface Shown extends TableColumn {
  of(line: Line): Cell | undefined
}

const STREAM: Shown = {
  name: 'stream',
  title: 'Stream',
  format: 'text',
  of: ({ stream }) => stream,
}
const VERDICT: Shown = {
  name: 'verdict',
  title: 'Verdict',
  format: 'text',
  tint: 'state',
  of: ({ verdict }) => verdict,
}

const integer = (title: string, of: Shown['of']): Shown => ({
  name: title.toLowerCase().replaceAll(/\W+/g, '_'),
  title,
  format: 'integer',
  of,
})

const VERDICTS: readonly Shown[] = [
  STREAM,
  VERDICT,
  { name: 'why', title: 'Why', format: 'text', of: ({ why }) => why },
  { name: 'job', title: 'Job', format: 'text', of: ({ run }) => run?.job },
  integer('Runs', ({ runs }) => runs),
  integer('Last run', ({ run }) => run?.id),
]

const SLICES: readonly Shown[] = [
  STREAM,
  VERDICT,
  integer('Planned', ({ planned }) => planned),
  integer('Complete', ({ slices }) => slices?.complete ?? 0),
  integer('Failed', ({ slices }) => slices?.failed ?? 0),
  integer('Not allowed', ({ slices }) => slices?.notAllowed ?? 0),
  integer('Still not proven', ({ unproven }) => unproven),
]

const RECORDS: readonly Shown[] = [
  STREAM,
  VERDICT,
  integer('Service’s total', ({ slices }) => slices?.total),
  integer('Received', ({ slices }) => slices?.received),
  integer('Inserted', ({ slices }) => slices?.inserted),
  integer('Updated', ({ slices }) => slices?.updated),
  integer('Unchanged', ({ slices }) => slices?.unchanged),
  integer('Ignored', ({ slices }) => slices?.ignored),
  integer('Quarantined', ({ slices }) => slices?.quarantined),
  integer('Not accounted for', ({ slices }) => slices?.lost),
  integer('Outside the request', ({ slices }) => slices?.outside),
]

const ROWS: readonly Shown[] = [
  STREAM,
  VERDICT,
  integer('Rows before', ({ moves }) => moves.before),
  integer('Inserted', ({ moves }) => moves.inserted),
  integer('Changed', ({ moves }) => moves.updated),
  integer('Deleted', ({ moves }) => moves.deleted),
  integer('Rows after', ({ moves }) => moves.after),
  integer('Not accounted for', ({ moves }) => (moves.comparable ? moves.adrift : undefined)),
]

/** Lists streams that do not balance, with the reason; the worst come first. */
export function unbalancedTable(lines: readonly Line[]): Table {
  const rows = WORST_FIRST.flatMap((verdict) => lines.filter((line) => line.verdict === verdict))
  const empty = 'Every stream balances.'
  return table({ title: 'What does not balance', columns: VERDICTS, empty }, rows)
}

/** Shows every stream: its verdict, records, rows and slices. */
export function streamSections(lines: readonly Line[]): Section[] {
  const of = (which: (line: Line) => boolean): Line[] => lines.filter(which)
  const listed = of(({ slices }) => slices !== undefined)
  const tried = of(
    ({ stream, list, planned, unproven, slices }) =>
      stream === list && (planned + unproven > 0 || slices !== undefined),
  )
  const ran = of(({ runs }) => runs > 0)
  const empty = 'No list was read on this day.'
  const records = table({ title: 'Records', columns: RECORDS, empty }, listed)
  const rows = table({ title: 'Rows', columns: ROWS, empty: 'No run began on this day.' }, ran)
  return [
    { title: 'Streams', blocks: [table({ title: 'Verdicts', columns: VERDICTS }, lines)] },
    section('Records', OF_RECORDS, records),
    section('Rows', OF_ROWS, rows),
    section('Slices', OF_SLICES, table({ title: 'Slices', columns: SLICES, empty }, tried)),
  ]
}

const OF_RECORDS =
  'Each record received is inserted, updated, unchanged, ignored (another slice’s, or shown before) or ' +
  'quarantined. What is none of these is not accounted for. The service’s total is that of the lists that ' +
  'have one. An update may change nothing but a field that makes no version. A stream of nested records is ' +
  'not here: they come within the records of their parent, and the sheet Rows has what was written of them.'
const OF_ROWS =
  'The rows of each table before the day’s first run and after its last, with what was written. Rows are ' +
  'not compared where another job wrote to the table too, or a person was erased.'
const OF_SLICES =
  'A slice is a list, or a part of one. Nested records come with the slices of their parent, and have none ' +
  'of their own. A slice is planned again by a later run of the day if it is due again. ' +
  'What is still not proven when the day ends is on the sheet Not proven, one by one.'

/** `empty` is the text of a table without lines. */
function table(
  head: { title: string; columns: readonly Shown[]; empty?: string },
  lines: readonly Line[],
): Table {
  return {
    kind: 'table',
    ...head,
    columns: head.columns.map(({ name, title, format, tint }) => ({
      name,
      title,
      format,
      ...(tint === undefined ? {} : { tint }),
    })),
    rows: lines.map((line) => head.columns.map(({ of }) => of(line) ?? null)),
  }
}
