import { sql } from 'kysely'
import type { Chart } from '../../src/core/define/chart.ts'
import type { Block, ChartBlock, Figure, Note, Section } from '../../src/core/define/report.ts'
import { count, counted } from '../../src/core/values/quantities.ts'
import { recordingSessions, TRASH_DAYS } from '../../src/resources/recordings.ts'
import { chart, comparedFigures, note } from '../shared/blocks.ts'
import { queryRows, type Row } from '../shared/query.ts'
import type { Growth } from './growth.ts'
import { type Leaving, WEEK_DAYS } from './leaving.ts'
import type { RecordingSettings } from './settings.ts'
import { gigabytes, type RecordingSource } from './source.ts'
import { type RuleMonth, ruleNotes } from './unrecorded.ts'

interface Facts {
  months: readonly Row[]
  leaving: Leaving
  locations: readonly Row[]
  rules: readonly RuleMonth[]
  growth: Growth | undefined
}

/** Shows how much is stored, how it grows, and what needs attention. */
export async function summarySection(source: RecordingSource, facts: Facts): Promise<Section> {
  const { files, previousFiles } = source
  const { growth } = facts
  const now = await totalsOf(source, files)
  const contradictory = await countContradictory(source)
  const before = previousFiles === undefined ? undefined : await totalsOf(source, previousFiles)
  const blocks: Block[] = [
    ...notesOf(source, facts),
    {
      kind: 'figures',
      title: 'Key figures',
      beforeLabel: 'last report',
      figures: [
        ...comparedFigures(FIGURES, now, before),
        ...forecast(growth, source.settings, Number(now.gigabytes)),
      ],
    },
    ...sizeNote(contradictory, Number(now.recordings)),
    ...growthNote(growth),
    monthChart(facts.months),
  ]
  return { title: 'Summary', blocks }
}

async function totalsOf({ db }: RecordingSource, files: RecordingSource['files']): Promise<Row> {
  const inTrash = sql`trashed or deleted_time is not null`
  const [row = {}] = await queryRows(
    db,
    sql`
    select count(distinct session_id)::int as recordings,
      ${gigabytes(sql`sum(bytes)`)} as gigabytes,
      count(*) filter (where ${inTrash})::int as trash_files,
      ${gigabytes(sql`sum(bytes) filter (where ${inTrash})`)} as in_trash
    from ${files} f`,
  )
  return row
}

/** Counts recordings whose `total_size` is not the sum of their files, those of participants included. */
async function countContradictory({ db, rows, files }: RecordingSource): Promise<number> {
  const [row] = await queryRows(
    db,
    sql`
    select count(*)::int as recordings from ${rows(recordingSessions)} r
      join (select session_id, sum(bytes) as bytes from ${files} f group by session_id) f
        on f.session_id = r.session_id
    where total_size is distinct from coalesce(bytes, total_size)`,
  )
  return Number(row?.recordings ?? 0)
}

function sizeNote(contradictory: number, recordings: number): Note[] {
  if (contradictory === 0) return []
  const text =
    `For ${count(contradictory)} of ${counted(recordings, 'recording')}, the service reports a ` +
    'total size that is not the sum of the files. All figures here are sums of files.'
  return [note('plain', text)]
}

const FIGURES = [
  { name: 'recordings', label: 'Recordings' },
  { name: 'gigabytes', label: 'GB stored', format: 'decimal' },
  { name: 'trash_files', label: 'Files in the trash' },
  { name: 'in_trash', label: 'GB in the trash', format: 'decimal' },
] as const

function forecast(
  growth: Growth | undefined,
  { pricePerGb, currency }: RecordingSettings,
  stored: number,
): Figure[] {
  const cost = (gb: number, when: string): Figure[] =>
    pricePerGb === null
      ? []
      : [{ label: `Monthly cost${when} (${currency})`, value: gb * pricePerGb, format: 'money' }]
  if (growth === undefined) return cost(stored, '')
  const after = (months: number): Figure => ({
    label: `GB in ${months} months, if nothing is deleted`,
    value: stored + growth.mean * months,
    format: 'decimal',
  })
  return [
    { label: 'GB added per month', value: growth.mean, format: 'decimal' },
    after(12),
    ...cost(stored, ''),
    ...cost(stored + growth.mean * 12, ' in 12 months'),
  ]
}

function growthNote(growth: Growth | undefined): Note[] {
  if (growth === undefined) {
    const text =
      'There is no forecast: it needs two completely read months after the first known month.'
    return [note('plain', text)]
  }
  const { months, least, most } = growth
  const text =
    `The forecast uses the mean of ${months.length} whole months between ${months[0]} and ` +
    `${months.at(-1)}, by session start and as stored now. They had ${spelled(least)} to ` +
    `${spelled(most)} GB each.`
  return [note('plain', text)]
}

/** Formats an amount like the renderers: 2,059.8. */
function spelled(amount: number): string {
  return amount.toFixed(1).replace(/\B(?=(\d{3})+\.)/g, ',')
}

/** Describes when files in the trash are deleted, and how to save those that the archive lacks. */
function leavingText({ files, gigabytes: size, undated, week, first, unkept }: Leaving): string {
  const later = files - undated - week
  const from = first === null ? '' : ` (from ${first.slice(0, 10)} on)`
  const parts = [
    ...(undated === 0 ? [] : [`${count(undated)} at any time, because their date is unknown`]),
    ...(week === 0 ? [] : [`${count(week)} within ${WEEK_DAYS} days${from}`]),
    ...(later === 0 ? [] : [`${count(later)} later${week === 0 ? from : ''}`]),
  ]
  const kept =
    unkept === 0
      ? ' The archive has all of them.'
      : ` ${unkept === files ? 'None of them is' : `${count(unkept)} of them are not`} in the archive. ` +
        'To keep some, recover them from the trash and ' +
        'run "callsheet sync recordings" with archive.recordings on.'
  return (
    `${counted(files, 'file')} in the trash (${spelled(size)} GB) will be deleted permanently within ` +
    `${TRASH_DAYS} days: ${parts.join(', ')}.${kept}`
  )
}

function notesOf(source: RecordingSource, { leaving, locations, rules }: Facts): Note[] {
  const notes: Note[] = []
  const failing = locations.filter(({ verify_status }) => verify_status === 'failure')
  for (const { name, selected } of failing)
    notes.push({
      ...note(
        selected === true ? 'bad' : 'warning',
        `The service cannot reach the storage location ${String(name)}` +
          (selected === true
            ? ', which is in use. New recordings may be lost: check its bucket and permissions.'
            : ': ask its administrator to check the access.'),
      ),
      link: 'Storage locations',
    })
  if (leaving.files > 0)
    notes.push({
      ...note(leaving.unkept > 0 ? 'warning' : 'plain', leavingText(leaving)),
      link: 'Leaving the trash',
    })
  notes.push(...ruleNotes(rules, source))
  if (notes.length === 0)
    notes.push(note('plain', 'Nothing needs attention, as far as data was read.'))
  return notes
}

function monthChart(months: readonly Row[]): ChartBlock {
  const shown = months.filter(({ value }) => value !== '(no time)').slice(-MOST_BARS)
  const values = (name: string): number[] => shown.map((row) => Math.round(Number(row[name])))
  const bars: Chart = {
    type: 'stacked-bar',
    valueFormat: 'integer',
    categories: shown.map(({ value }) => String(value)),
    series: [
      { name: 'Session files', tone: 'accent', values: values('of_sessions') },
      { name: 'Participant files', tone: 'neutral', values: values('of_participants') },
    ],
  }
  // A phone shows the bars of a year without scrolling.
  const width = shown.length <= 12 ? 'half' : 'full'
  return chart('GB stored, by the month of the session', bars, width)
}

const MOST_BARS = 24
