import type { Block, Cell, CellFormat, Note, Section, Table } from '../core/define/report.ts'
import type { ReportPeriods } from '../core/define/report-period.ts'
import { lowText } from '../core/records/low-text.ts'
import { zonedInstant } from '../core/time/zone.ts'
import { isWithheld } from './policy-text.ts'
import type { StreamCoverage } from './report-coverage.ts'
import { local, SAME_NIGHT_MS, verdictOf } from './report-verdict.ts'
import { PROVENANCE } from './xlsx/xlsx-origin.ts'

export interface ProvenanceFacts {
  account: string
  timeZone: string
  asOfMs: number
  periods: ReportPeriods | undefined
  coverage: readonly StreamCoverage[]
  /** Whether the previous period can be compared; undefined if the report has none. */
  beforeCovered: boolean | undefined
  /** The moment of the comparison; undefined if there is none. */
  comparedMs: number | undefined
  /** The parameters as given, without those that other lines of the sheet show. */
  params: Readonly<Record<string, unknown>>
  /** Optional streams that were never read. */
  unread: readonly string[]
  /** The owner whose rows alone the report shows, if it is a cut. */
  owner?: string | undefined
  /** The report's own blocks for the provenance. */
  more: readonly Block[]
}

/** Adds the parts that all reports share to a report's sections: the first line and the last sheet. */
export function withProvenance(sections: readonly Section[], facts: ProvenanceFacts): Section[] {
  const [first, ...rest] = isWithheld(facts.coverage) ? sections.map(withoutPraise) : sections
  const shown = first === undefined ? [] : [withVerdict(first, facts), ...rest]
  return [...shown, provenanceSection(facts)]
}

/** Makes green notes plain: they may be true only because the settings keep rows or values out. */
function withoutPraise(section: Section): Section {
  const plain = (block: Block): Block =>
    block.kind === 'note' && block.tone === 'good' ? { ...block, tone: 'plain' } : block
  return { ...section, blocks: section.blocks.map(plain) }
}

/**
 * Makes the last sheet: the moment, the runs, and whether the data is complete. A report without needs has no
 * coverage, and describes its completeness itself.
 */
function provenanceSection(facts: ProvenanceFacts): Section {
  const missing = missingTable(facts)
  const judged = facts.coverage.length > 0
  const blocks: Block[] = judged ? [verdictOf(facts)] : []
  blocks.push(...remarksOf(facts), aboutBlock(facts))
  if (judged) blocks.push(sourceTable(facts))
  if (missing.rows.length > 0) blocks.push(missing)
  blocks.push(...facts.more.filter(({ kind }) => kind !== 'note'))
  return { title: PROVENANCE, provenance: true, blocks }
}

/** Begins the first sheet with the sources, and with the verdict unless the sheet already contains it. */
function withVerdict(first: Section, facts: ProvenanceFacts): Section {
  const judged = facts.coverage.length > 0
  const verdict = judged ? verdictOf(facts) : undefined
  const told = first.blocks.some((block) => block.kind === 'note' && block.text === verdict?.text)
  const { length } = remarksOf(facts).filter(({ tone }) => tone === 'warning' || tone === 'bad')
  const warnings = length === 0 ? '' : ` and ${length} ${length === 1 ? 'warning' : 'warnings'}`
  const from = judged ? `Source: ${runsOf(facts)}` : 'Source: the ledgers of the runs'
  const rest = `${from}. Details${warnings} are on the sheet ${PROVENANCE}.`
  const line: Note =
    verdict === undefined || told
      ? { kind: 'note', tone: length === 0 ? 'plain' : 'warning', text: rest }
      : {
          kind: 'note',
          tone: verdict.tone === 'bad' || length === 0 ? verdict.tone : 'warning',
          text: `${verdict.text} ${rest}`,
        }
  return { ...first, blocks: [line, ...first.blocks] }
}

function remarksOf(facts: ProvenanceFacts): Note[] {
  const notes = facts.more.filter((block) => block.kind === 'note')
  return [
    ...ownerNote(facts),
    ...staleNote(facts),
    ...leftNotes(facts),
    ...notes,
    ...optionalNotes(facts),
    ...comparisonNote(facts),
  ]
}

function ownerNote({ owner }: ProvenanceFacts): Note[] {
  if (owner === undefined) return []
  const text =
    `This report has only rows of the owner ${owner}. It is as complete as what was read of the ` +
    'whole account.'
  return [{ kind: 'note', tone: 'plain', text }]
}

function runsOf({ coverage }: ProvenanceFacts): string {
  const ids = [...new Set(coverage.map(({ run }) => run.id))].toSorted((a, b) => a - b)
  const named = ids.slice(0, MOST_NAMED).join(', ')
  const more = ids.length > MOST_NAMED ? ` and ${ids.length - MOST_NAMED} others` : ''
  return `${ids.length === 1 ? 'run' : 'runs'} ${named}${more}`
}

/** Notes streams whose run ended more than `SAME_NIGHT_MS` before or after the report's moment. */
function staleNote({ coverage, asOfMs, timeZone }: ProvenanceFacts): Note[] {
  const apart = coverage.filter(
    ({ run, refusal }) =>
      refusal === undefined && Math.abs(asOfMs - run.finishedAtMs) > SAME_NIGHT_MS,
  )
  if (apart.length === 0) return []
  const told = apart.map(
    ({ stream, run }) => `${stream} is as of ${local(run.finishedAtMs, timeZone)} (job ${run.job})`,
  )
  const text =
    `Not all data is as of the same night: ${told.join('; ')}. Each stream is shown as of the ` +
    'last run that read it completely.'
  return [{ kind: 'note', tone: 'warning', text }]
}

/** Notes runs that read all data of the report but ended incomplete for another reason. */
function leftNotes({ coverage }: ProvenanceFacts): Note[] {
  const runs = coverage.flatMap(({ run }) => (run.whole && run.state !== 'complete' ? [run] : []))
  return [...new Map(runs.map((run) => [run.id, run])).values()].map(({ id, job, state }) => ({
    kind: 'note',
    tone: 'warning',
    text:
      `Run ${id} of ${job} read everything that this report uses, but ended ` +
      `${state.replaceAll('_', ' ')} for another reason, such as a file. Run "callsheet runs ` +
      `${id}" to see it.`,
  }))
}

function optionalNotes({ coverage, unread }: ProvenanceFacts): Note[] {
  const partly = coverage.filter(({ whole, optional }) => optional && !whole)
  const shut = partly.filter(({ refusal }) => refusal !== undefined)
  const half = partly.filter(
    ({ refusal, low = [], incomplete, missing }) =>
      refusal === undefined && (low.length === 0 || incomplete + missing.length > 0),
  )
  const silent = partly.flatMap(({ low = [] }) => low.map((one) => lowText([one], one.stream)))
  const named = (some: readonly StreamCoverage[], what: string): string[] =>
    some.length === 0 ? [] : [`${some.map(({ stream }) => stream).join(', ')}: ${what}`]
  const said = [
    ...(unread.length === 0 ? [] : [`${unread.join(', ')}: never read`]),
    ...named(half, 'not read completely'),
    ...silent,
    ...named(shut, 'not allowed'),
  ]
  if (said.length === 0) return []
  const text = `Optional data in this report is incomplete (${said.join('; ')}).`
  return [{ kind: 'note', tone: 'warning', text }]
}

function comparisonNote({ periods, beforeCovered }: ProvenanceFacts): Note[] {
  if (periods === undefined || beforeCovered !== false) return []
  const text =
    `The previous period, ${periods.before.label}, is not complete, so this report compares ` +
    'nothing with it.'
  return [{ kind: 'note', tone: 'warning', text }]
}

function aboutBlock(facts: ProvenanceFacts): Block {
  const { account, periods, timeZone, asOfMs, comparedMs, params } = facts
  const instant = (epochMs: number): [Cell, CellFormat] => [
    zonedInstant(epochMs, timeZone),
    'instant',
  ]
  const figures: [string, Cell, CellFormat][] = [['Account', account, 'text']]
  if (periods !== undefined) {
    const { fromMs, toMs, label } = periods.period
    figures.push(['Period', label, 'text'])
    figures.push(['From', ...instant(fromMs)], ['To (exclusive)', ...instant(toMs)])
  }
  figures.push(['Time zone', timeZone, 'text'], ['As of', ...instant(asOfMs)])
  const compared = comparedMs === undefined ? (['none', 'text'] as const) : instant(comparedMs)
  if (periods === undefined) figures.push(['Previous report as of', ...compared])
  else if (comparedMs !== undefined) figures.push(['Changes since', ...compared])
  for (const [name, value] of Object.entries(params))
    figures.push([`${name[0]?.toUpperCase()}${name.slice(1)}`, String(value), 'text'])
  return {
    kind: 'figures',
    title: 'About this report',
    figures: figures.map(([label, value, format]) => ({ label, value, format })),
  }
}

/** A cut has no counts of slices: for a list per parent, they show how many parents the account has. */
function sourceTable({ coverage, timeZone, owner }: ProvenanceFacts): Table {
  const slices = (entry: StreamCoverage) =>
    owner === undefined ? [entry.complete, entry.incomplete] : []
  const counts: Table['columns'] = [
    { name: 'complete', title: 'Slices complete', format: 'integer' },
    { name: 'incomplete', title: 'Slices incomplete', format: 'integer' },
  ]
  return {
    kind: 'table',
    title: 'Source runs',
    columns: [
      { name: 'stream', title: 'Stream', format: 'text' },
      { name: 'job', title: 'Job', format: 'text' },
      { name: 'run_id', title: 'Run', format: 'integer' },
      { name: 'state', title: 'Run state', format: 'text' },
      { name: 'finished_at', title: 'As of', format: 'instant' },
      { name: 'oldest', title: 'Oldest slice read', format: 'instant' },
      ...(owner === undefined ? counts : []),
      { name: 'covered', title: 'Complete', format: 'boolean' },
    ],
    rows: coverage.map((entry) => [
      entry.stream,
      entry.run.job,
      entry.run.id,
      entry.run.state,
      zonedInstant(entry.run.finishedAtMs, timeZone),
      entry.oldestReadMs === undefined ? null : zonedInstant(entry.oldestReadMs, timeZone),
      ...slices(entry),
      entry.whole,
    ]),
  }
}

function missingTable({
  coverage,
  timeZone,
}: ProvenanceFacts): Table & { rows: readonly Cell[][] } {
  return {
    kind: 'table',
    title: 'Missing data',
    columns: [
      { name: 'stream', title: 'Stream', format: 'text' },
      { name: 'from', title: 'From', format: 'instant' },
      { name: 'to', title: 'To (exclusive)', format: 'instant' },
    ],
    rows: coverage.flatMap(({ stream, missing }) =>
      missing.map(({ fromMs, toMs }) => [
        stream,
        zonedInstant(fromMs, timeZone),
        zonedInstant(toMs, timeZone),
      ]),
    ),
  }
}

const MOST_NAMED = 6
