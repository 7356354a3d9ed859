import type { Expression, Kysely } from 'kysely'
import type { z } from 'zod'
import type { Window } from '../time/spans.ts'
import type { Coded } from '../values/code-words.ts'
import type { LowStretch } from '../values/low-stretch.ts'
import type { Chart } from './chart.ts'
import type { ReportCut } from './owner.ts'
import type { ReportLedgers } from './report-ledgers.ts'
import type { ReportMoment, ReportPeriods } from './report-period.ts'
import type { Stream } from './stream.ts'
import type { GoneRowsOf, Relation, RowsOf, VersionsOf } from './stream-row.ts'

/** A cell's value, not its display. Durations are seconds, shares are 0 to 1, days `yyyy-mm-dd`. */
export type Cell = string | number | boolean | null

/**
 * `money` is an amount with two decimals, whose currency the title names. `instant` is `yyyy-mm-ddThh:mm:ss`,
 * already in the report's zone: SQL converts it, row by row.
 */
export type CellFormat =
  | 'text'
  | 'integer'
  | 'decimal'
  | 'money'
  | 'percent'
  | 'date'
  | 'instant'
  | 'seconds'
  | 'boolean'

export interface TableColumn<Name extends string = string> {
  /** The field's name in the API, if it has one. */
  name: Name
  title: string
  format: CellFormat
  /**
   * How the cell is colored: by a named quality, from white to red (`bad-share`), as a change that is bad if
   * it grows (`delta`), or by a state such as `complete`. A `change` only shows its sign.
   */
  tint?: 'quality' | 'bad-share' | 'delta' | 'change' | 'state'
  /** The cells are codes: workbook and page show words, and the codes in a last column. */
  coded?: Coded
  /** `callsheet apply` acts on a person's edits in the column; `allowed` lists the only valid values. */
  editable?: { allowed?: readonly string[] } | undefined
  /** The values that a workbook offers for a cell that `callsheet apply` reads. Excel warns of others. */
  suggested?: readonly string[] | undefined
}

/** Rows read in batches of a few hundred while a file is written. Each renderer opens its own stream. */
export interface StreamedRows {
  stream(): AsyncIterable<readonly (readonly Cell[])[]>
  /** The first `limit` rows or fewer, to inspect them before streaming. */
  first(limit: number): Promise<readonly (readonly Cell[])[]>
}

export type Rows = readonly (readonly Cell[])[] | StreamedRows

export interface Table {
  kind: 'table'
  title: string
  /** Names the table's own file if the title cannot, because it depends on data or on the period. */
  file?: string
  columns: readonly TableColumn[]
  rows: Rows
  /** The text to show if the table has no row. */
  empty?: string
}

export interface Note {
  kind: 'note'
  text: string
  tone: 'plain' | 'good' | 'warning' | 'bad'
  /** In the provenance: the parameters look like a mistake, and whoever requested the report is warned. */
  mistake?: true
  /** The first figures in one sentence without personal data; messages about the report begin with it. */
  headline?: true
  /** The title of the section with the details, to which the note links if the report has it. */
  link?: string
  /** Part of the content is not final yet: whoever requested a final report has to wait. */
  unsettled?: true
}

export interface Figures {
  kind: 'figures'
  title: string
  figures: readonly Figure[]
  /** The heading of the previous period's figures, e.g. `2026-09`. */
  beforeLabel?: string
}

export interface Figure {
  label: string
  value: Cell
  format: CellFormat
  /** The figure in the previous period. */
  before?: Cell
  /** The figure in the last periods up to this one, to draw small; null where it is unknown. */
  trend?: readonly (number | null)[]
  /** Whether a higher or a lower figure is better; if absent, the change is not colored. */
  better?: 'higher' | 'lower'
}

export interface ChartBlock {
  kind: 'chart'
  title: string
  /** As in `Table`. */
  file?: string
  chart: Chart
  /** Two consecutive halves share a row. */
  width?: 'full' | 'half'
}

/** A part of a report's page. Only the renderers know xlsx and html. */
export type Block = Note | Figures | Table | ChartBlock

/** One sheet of the workbook or section of the page; `detail: true` marks sections that list every row. */
export interface Section {
  title: string
  /** The content, with its count if that is known, in half a sentence: for the table of contents. */
  about?: string
  blocks: readonly Block[]
  detail?: boolean
  /** States how and from which data the report was made; goes to the last sheet, below the provenance. */
  provenance?: true
}

/** The input of renderers: the summary comes first, the provenance last. Excludes the time of rendering. */
export interface ReportDocument {
  title: string
  /** The report's name and its account, for code that reads a workbook back. */
  report: string
  account: string
  /** Account, period and as-of in one line, under the title of every sheet. */
  subtitle: string
  asOfMs: number
  /** When the last run that supplied the data ended; by default `asOfMs`. */
  runsEndMs?: number
  /** The instant since which the document shows changes, if requested. */
  sinceMs?: number
  /** The owner whose rows alone it shows, if it is a cut. */
  owner?: string
  sections: readonly Section[]
}

/** How completely the report's needed streams were read. */
export interface ReportCoverage {
  /** Whether everything was read. If not, figures may be too low, and an absent row proves nothing. */
  whole: boolean
  /** The first line of the report: whether its data is complete. */
  verdict: Note
  /** The parts of the period for which a needed stream was not read, unsorted. */
  unread: readonly Window[]
  /** The streams whose ledger differs from the signed one, so that its entries prove nothing. */
  disputed: readonly string[]
}

/** `Streams`: the report's needs and optional streams. A report cannot read rows of other streams. */
export interface ReportContext<Params, Streams extends Stream = Stream, Settings = unknown> {
  /** Reads one read-only snapshot. */
  db: Kysely<ReportLedgers>
  /** Queries on the engine's own tables must filter by it; `rows` already does. */
  account: string
  /**
   * The account's rows of a stream as of the last run that read it completely, without deleted ones:
   * `selectFrom(rows(x).as('x'))`. Empty for an optional stream that was never read.
   */
  rows: RowsOf<Streams>
  /** The last versions of deleted rows; `gone_at`, `gone_by`: when and by which run they were marked. */
  goneRows: GoneRowsOf<Streams>
  /** All versions known as of `rows`, including ended versions; the findings of later runs are left out. */
  versions: VersionsOf<Streams>
  /** The run whose ledger entries describe `rows`; undefined for an optional stream that was never read. */
  runId(stream: Streams): number | undefined
  /** `rows` as of the report's previous publication or the requested instant; undefined without either. */
  previousRows: RowsOf<Streams> | undefined
  /** Whether the report must show the changes since a requested instant. */
  since: boolean
  /** The job that reads a stream, for commands; undefined if no known job does. */
  jobOf(stream: Stream): string | undefined
  /** Runs a query once and stores its rows until the report is made, for several sheets. */
  keep<Row>(name: string, query: Expression<Row>): Promise<Relation<Row>>
  params: Params
  /** The owner whose rows alone can be read, in a cut; undefined in a report on the whole account. */
  owner: string | undefined
  /** The report's entry under `reports.settings` in the configuration. */
  settings: Settings
  timeZone: string
  periods: ReportPeriods | undefined
  coverage: ReportCoverage
  /** False if the previous period was not read completely, or there is none. Then nothing is compared. */
  beforeCovered: boolean
  /** The streams and notifications with far fewer records than usual in the period, or now without one. */
  low: readonly LowStretch[]
  /** The parts of any other time range for which a needed stream was not read, unsorted. */
  unreadIn(stretch: Window): Promise<readonly Window[]>
  /** Whether every needed stream was read completely in any other time range. */
  coveredIn(stretch: Window): Promise<boolean>
  /** When the run ended that read the first needed stream (without needs, the last run), in epoch ms. */
  asOfMs: number
  previousAsOfMs: number | undefined
}

/** A report's declaration. Each report has a file in `reports/` with its name. */
export interface Report<
  Schema extends z.ZodObject = z.ZodObject,
  Streams extends Stream = Stream,
  Settings extends z.ZodObject = z.ZodObject,
> {
  name: string
  title: string
  params: Schema
  /** The settings that the report reads from `reports.settings` under its name; each has a default. */
  settings?: Settings
  /** The names of other reports' settings that this report uses too, by report. */
  sharedSettings?: Readonly<Record<string, readonly string[]>>
  /**
   * The streams whose freshness and coverage the provenance states; the first is the report's subject. A
   * report without needs is about the ledgers: it is made whatever was read, and states its own completeness.
   */
  needs: readonly Streams[]
  /** Streams that are shown if they were read: without them the report has less detail, but is correct. */
  optional?: readonly Streams[]
  /** The period in the parameters, and the previous one; undefined for a report as of now. */
  periods(params: z.infer<Schema>, at: ReportMoment): ReportPeriods | undefined
  /** How many days before its period the report reads rows; without it, any number. An erasure needs this. */
  looksBackDays?: number
  /** How the report is cut by owner, if it can be. Its parameters then include `owner`. */
  cut?: ReportCut<Streams, ReportContext<unknown, Streams>>
  build(
    context: ReportContext<z.infer<Schema>, Streams, z.infer<Settings>>,
  ): Promise<readonly Section[]>
}

/** Declares a report. Reading rows of a stream that it does not name does not compile. */
export function defineReport<
  Schema extends z.ZodObject,
  const Needs extends readonly Stream[],
  const Optional extends readonly Stream[] = [],
  Settings extends z.ZodObject = z.ZodObject,
>(
  report: Report<Schema, Needs[number] | Optional[number], Settings> & {
    needs: Needs
    optional?: Optional
  },
): Report<Schema, Needs[number] | Optional[number], Settings> {
  return Object.freeze(report)
}
