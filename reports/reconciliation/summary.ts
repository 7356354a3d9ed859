import type { Figures, Note, Section, Table } from '../../src/core/define/report.ts'
import { lowSentence } from '../../src/core/records/low-text.ts'
import { DAY_MS, utcDay } from '../../src/core/time/time.ts'
import type { LowStretch } from '../../src/core/values/low-stretch.ts'
import { counted } from '../../src/core/values/quantities.ts'
import { figures } from '../shared/blocks.ts'
import { tableColumns, tableOf } from '../shared/query.ts'
import { entriesOf, type SignedCheckpoint } from './evidence.ts'
import { type FileCount, filesNow, filesOfDay } from './files.ts'
import type { Line } from './lines.ts'
import { LOW_VOLUME } from './remedies.ts'
import type { Runs } from './runs.ts'
import type { Unproven } from './unproven.ts'
import { type DayVerdict, WORST_FIRST } from './verdict.ts'
import { BAD, remedyNotes, remedyTable, SAID } from './what-to-do.ts'

export interface DayFacts {
  account: string
  lines: readonly Line[]
  runs: Runs
  files: readonly FileCount[]
  checkpoints: readonly SignedCheckpoint[]
  unproven: Unproven
  low: readonly LowStretch[]
}

/** Shows the day on one page: whether everything balances, and if not, what does not. */
export function summarySection(facts: DayFacts): Section {
  return {
    title: 'Summary',
    blocks: [
      ...storyNotes(facts),
      keyFigures(facts),
      remedyTable(facts.lines, facts.account),
      ...lowTables(facts.low),
      moreFigures(facts),
    ],
  }
}

/** Describes in sentences whether the streams and files are complete. */
export function storyNotes({ account, lines, runs, files, low }: DayFacts): Note[] {
  const count = (...verdicts: DayVerdict['verdict'][]): number =>
    lines.filter(({ verdict }) => verdicts.includes(verdict)).length
  const good = count('balanced', 'nothing due')
  const bad = count(...BAD)
  const unsettled = bad + count('quarantined', 'low volume') > 0
  const rest = WORST_FIRST.flatMap((verdict) => {
    const some = count(verdict)
    return some === 0 ? [] : [`${some} ${SAID[verdict][some === 1 ? 0 : 1]}`]
  })
  const all = good === lines.length
  const what = all
    ? `All ${good} streams balance, and each record received is accounted for`
    : `Of ${lines.length} streams, ${rest.join(', ')}, and ${good} balance`
  const notes: Note[] = [
    {
      kind: 'note',
      tone: all ? 'good' : bad > 0 ? 'bad' : 'warning',
      text: `${what}.`,
      ...(all ? {} : { link: 'Streams' }),
      ...(unsettled ? { unsettled } : {}),
    },
  ]
  if (runs.ofDay.length === 0)
    notes.push({ kind: 'note', tone: 'bad', text: nothingRead(runs), unsettled: true })
  notes.push(...remedyNotes(lines, account))
  notes.push(...lowNotes(low))
  const lost = filesOfDay(files, 'expired', 'missing')
  if (lost > 0) {
    const text = `${counted(lost, 'file was', 'files were')} lost on this day.`
    notes.push({ kind: 'note', tone: 'bad', text, link: 'Files', unsettled: true })
  }
  return notes
}

/** Returns the reason why the day has no run. */
function nothingRead({ first }: Runs): string {
  if (first?.afterDay !== true)
    return 'No run began on this day, so nothing was read. Check the schedule of the jobs.'
  const [day = '', time = ''] = first.at.slice(0, 16).split('T')
  return `This day is before the account’s first run, which began on ${day} at ${time}.`
}

/** Merges streams that may share a cause into one note. The table lists each stream. */
function lowNotes(low: readonly LowStretch[]): Note[] {
  const groups = Map.groupBy(low, ({ general, stream }) => (general ? '' : stream))
  return [...groups.values()].slice(0, MOST_NOTES).map((same) => ({
    kind: 'note',
    tone: 'warning',
    text: `${lowSentence(same, same.map(({ stream }) => stream).join(', '))} ${LOW_VOLUME}`,
    unsettled: true,
  }))
}

const MOST_NOTES = 5

const LOW = tableColumns([
  { name: 'stream', title: 'Stream or notification', format: 'text' },
  { name: 'from', title: 'From', format: 'date' },
  { name: 'to', title: 'To', format: 'date' },
  { name: 'came', title: 'Actual', format: 'integer' },
  { name: 'expected', title: 'Expected', format: 'integer' },
])

/** Lists streams with far fewer records than before. */
function lowTables(low: readonly LowStretch[]): Table[] {
  const rows = low.map(({ stream, fromDay, toDay, came, expected }) => ({
    stream,
    from: utcDay(fromDay * DAY_MS),
    to: utcDay(toDay * DAY_MS),
    came,
    expected: Math.round(expected),
  }))
  return rows.length === 0 ? [] : [tableOf({ title: 'Low volume', columns: LOW }, rows)]
}

function keyFigures({ lines, files, unproven }: DayFacts): Figures {
  return figures('Key figures', {
    'Records received': sumOf(lines, ({ slices }) => slices?.received),
    'Records not accounted for': sumOf(lines, ({ slices }) => slices?.lost),
    'Records quarantined': sumOf(lines, ({ slices }) => slices?.quarantined),
    'Slices failed': sumOf(lines, ({ slices }) => slices?.failed),
    'Slices not proven': [...unproven.counts.values()].reduce((all, one) => all + one, 0),
    'Files lost': filesOfDay(files, 'expired', 'missing'),
  })
}

function moreFigures({ lines, files, checkpoints }: DayFacts): Figures {
  return figures('More figures', {
    'Rows inserted': sumOf(lines, ({ moves }) => moves.inserted),
    'Rows changed': sumOf(lines, ({ moves }) => moves.updated),
    'Rows deleted': sumOf(lines, ({ moves }) => moves.deleted),
    'Slices complete': sumOf(lines, ({ slices }) => slices?.complete),
    'Files stored': filesOfDay(files, 'stored'),
    'Files pending': filesNow(files, 'pending'),
    'Evidence entries': entriesOf(checkpoints),
    'Checkpoints signed': checkpoints.length,
  })
}

function sumOf(lines: readonly Line[], of: (line: Line) => number | undefined): number {
  return lines.reduce((total, line) => total + (of(line) ?? 0), 0)
}

/** Shows the day's verdict, the first and last ID of its runs, and the last checkpoint signed on it. */
export function provenanceSection(facts: DayFacts): Section {
  const last = facts.checkpoints.at(-1)
  const { ofDay } = facts.runs
  const rests = figures('Sources', {
    'Runs of the day': ofDay.length === 0 ? 'none' : `${ofDay[0]?.id} to ${ofDay.at(-1)?.id}`,
    ...(last === undefined
      ? { 'Last checkpoint of the day': 'none' }
      : {
          'Last checkpoint of the day': last.state,
          'Key fingerprint (start)': last.key,
        }),
  })
  return { title: 'Provenance', provenance: true, blocks: [...storyNotes(facts), rests] }
}
