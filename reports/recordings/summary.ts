import { sql } from 'kysely'
import type { Block, ChartBlock, Figure, Note, Section } from '../../src/core/define/report.ts'
import { count, counted } from '../../src/core/values/quantities.ts'
import { recordingSessions, TRASH_DAYS } from '../../src/resources/recordings.ts'
import { chart, comparedFigures, note } from '../shared/blocks.ts'
import { queryRows, type Row } from '../shared/query.ts'
import type { Growth } from './growth.ts'
import type { Leaving } from './leaving.ts'
import type { RecordingSettings } from './settings.ts'
import { gigabytes, type RecordingSource } from './source.ts'

interface Facts {
  months: readonly Row[]
  leaving: Leaving
  locations: readonly Row[]
  unrecorded: ReadonlyMap<string, number>
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
    ...notesOf(facts),
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

/** Counts live recordings whose `total_size` is not the sum of their files, with those of participants. */
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
    `${count(contradictory)} of ${counted(recordings, 'recording')} state a total size that is not the ` +
    'sum of their files. All figures here are sums of files.'
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
      : [{ label: `Cost a month${when} (${currency})`, value: gb * pricePerGb, format: 'money' }]
  if (growth === undefined) return cost(stored, '')
  const after = (months: number): Figure => ({
    label: `GB in ${months} months, if nothing is deleted`,
    value: stored + growth.mean * months,
    format: 'decimal',
  })
  return [
    { label: 'GB added a month', value: growth.mean, format: 'decimal' },
    after(12),
    ...cost(stored, ''),
    ...cost(stored + growth.mean * 12, ' in 12 months'),
  ]
}

function growthNote(growth: Growth | undefined): Note[] {
  if (growth === undefined) {
    const text =
      'No forecast: that needs two whole months that were read, after the first that is known.'
    return [note('plain', text)]
  }
  const { months, least, most } = growth
  const text =
    `The forecast takes the mean of ${months.length} whole months, ${months[0]} to ${months.at(-1)}; ` +
    `they had ` +
    `${spelled(least)} to ${spelled(most)} GB each, by when their sessions began and as stored now.`
  return [note('plain', text)]
}

/** Formats an amount like the renderers: 2,059.8. */
function spelled(amount: number): string {
  return amount.toFixed(1).replace(/\B(?=(\d{3})+\.)/g, ',')
}

const TO_KEEP =
  'recover those that are to be kept before they go, with archive.recordings on, and the next sync of ' +
  'recordings fetches them.'

/** Returns when files are deleted; files without a known time of trashing come first. */
function whenText({ undated, first }: Leaving): string {
  const rest = first === null ? undefined : `from ${first.slice(0, 10)} on`
  if (undated === 0) return rest === undefined ? '' : `, ${rest}`
  const some = `: ${count(undated)} may go at any time, as their date is not known`
  return rest === undefined ? some : `${some}, the others ${rest}`
}

function notesOf({ leaving, locations, unrecorded }: Facts): Note[] {
  const notes: Note[] = []
  const failing = locations.filter(({ verify_status }) => verify_status === 'failure')
  for (const { name, selected } of failing)
    notes.push(
      note(
        selected === true ? 'bad' : 'warning',
        `The service cannot reach the storage location ${String(name)}` +
          (selected === true ? ', which is in use: new recordings may be lost.' : '.'),
      ),
    )
  if (leaving.files > 0)
    notes.push(
      note(
        leaving.unkept > 0 ? 'warning' : 'plain',
        `${count(leaving.files)} files (${spelled(leaving.gigabytes)} GB) leave the trash permanently ` +
          `within ${TRASH_DAYS} days${whenText(leaving)}; ` +
          `${count(leaving.unkept)} of them are not in the archive` +
          (leaving.unkept > 0 ? `: ${TO_KEEP}` : '.'),
      ),
    )
  for (const [rule, sessions] of unrecorded)
    notes.push(
      note(
        'bad',
        `${counted(sessions, 'session')} without a recording, against the rule “${rule}”.`,
      ),
    )
  if (notes.length === 0) notes.push(note('plain', 'Nothing that was read needs somebody’s hand.'))
  return notes
}

function monthChart(months: readonly Row[]): ChartBlock {
  const shown = months.filter(({ value }) => value !== '(no time)').slice(-MOST_BARS)
  const values = (name: string): number[] => shown.map((row) => Math.round(Number(row[name])))
  return chart('GB stored, by the month of the session', {
    type: 'stacked-bar',
    valueFormat: 'integer',
    categories: shown.map(({ value }) => String(value)),
    series: [
      { name: 'of sessions', tone: 'accent', values: values('of_sessions') },
      { name: 'of participants', tone: 'neutral', values: values('of_participants') },
    ],
  })
}

const MOST_BARS = 24
