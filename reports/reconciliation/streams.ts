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
  { name: 'todo', title: 'What to do', format: 'text', of: ({ todo }) => todo },
  { name: 'why', title: 'Reason', format: 'text', of: ({ why }) => why },
  { name: 'job', title: 'Job', format: 'text', of: ({ job }) => job },
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

/** Shows the verdict of every stream, and the records, rows and slices of the streams that have any. */
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
  const rows = table({ title: 'Rows', columns: ROWS, empty: 'No runs began on this day.' }, ran)
  return [
    {
      title: 'Streams',
      blocks: [table({ title: 'Verdicts', columns: VERDICTS }, worstFirst(lines))],
    },
    section('Records', OF_RECORDS, records),
    section('Rows', OF_ROWS, rows),
    section('Slices', OF_SLICES, table({ title: 'Slices', columns: SLICES, empty }, tried)),
  ]
}

function worstFirst(lines: readonly Line[]): Line[] {
  const bad = WORST_FIRST.flatMap((verdict) => lines.filter((line) => line.verdict === verdict))
  return [...bad, ...lines.filter((line) => !bad.includes(line))]
}

const OF_RECORDS =
  'What happened to each record received: inserted, updated, unchanged, ignored (it belongs to ' +
  'another slice or was received before) or quarantined. “Not accounted for” counts all others ' +
  'and should be 0. “Service’s total” covers only lists that report a total. An update may ' +
  'change only fields that create no new version. Nested records come with the records of ' +
  'their parent and are not listed here; the sheet Rows shows what was written of them.'
const OF_ROWS =
  'The rows of each table before the day’s first run and after its last one, and what was ' +
  'written in between. “Not accounted for” is empty if the counts cannot be compared, for ' +
  'example because another job also wrote to the table or a person was erased.'
const OF_SLICES =
  'A slice is a list or a part of one. If it is due again, a later run of the day plans it ' +
  'again. Nested records come with the slices of their parent and have none of their own. The ' +
  'sheet Not proven lists each slice that was still not proven when the day ended.'

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
