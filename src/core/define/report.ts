import type { Expression, Kysely } from 'kysely'
import type { z } from 'zod'
import type { Window } from '../time/spans.ts'
import type { LowStretch } from '../values/low-stretch.ts'
import type { Chart } from './chart.ts'
import type { ReportLedgers } from './report-ledgers.ts'
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
  /** The wire's own name, if there is one. */
  name: Name
  title: string
  format: CellFormat
  /**
   * Colors the cell: a named quality, a share from white to red, a change for which more is worse, or a state
   * such as `complete`, `stored` and `expired`. A neutral `change` only shows its sign.
   */
  tint?: 'quality' | 'bad-share' | 'delta' | 'change' | 'state'
  /** `callsheet apply` acts on a person's edits here; `allowed` lists the only valid values. */
  editable?: { allowed?: readonly string[] } | undefined
}

/**
 * Rows that are read while they are written, a few hundred at a time; each renderer opens a stream of its
 * own.
 */
export interface StreamedRows {
  stream(): AsyncIterable<readonly (readonly Cell[])[]>
  /** Up to `limit` of the first rows, to inspect them before streaming. */
  first(limit: number): Promise<readonly (readonly Cell[])[]>
}

/** Rows at hand, or streamed ones. */
export type Rows = readonly (readonly Cell[])[] | StreamedRows

export interface Table {
  kind: 'table'
  title: string
  columns: readonly TableColumn[]
  rows: Rows
  /** The text if there is no row. */
  empty?: string
}

export interface Note {
  kind: 'note'
  text: string
  tone: 'plain' | 'good' | 'warning' | 'bad'
  /** In the provenance: the parameters are likely a mistake, so whoever gave them is warned at once. */
  mistake?: true
  /** The report's first figures in a sentence without personal data, to begin messages about it. */
  headline?: true
  /** Part of the report's content is not settled: a request that waits for a whole report keeps waiting. */
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
  /** Whether a rise is good; without it the change is not colored. */
  better?: 'higher' | 'lower'
}

export interface ChartBlock {
  kind: 'chart'
  title: string
  chart: Chart
  /** Two consecutive halves share a row. */
  width?: 'full' | 'half'
}

/** A part of a report's page. Only the renderers know xlsx and html. */
export type Block = Note | Figures | Table | ChartBlock

/** One sheet of the workbook, one section of the page; `detail: true` marks lists of everything. */
export interface Section {
  title: string
  blocks: readonly Block[]
  detail?: boolean
  /** How the report was made, and from which data: on the last sheet, after the standard provenance. */
  provenance?: true
}

/** The input of renderers: the summary first, the provenance last. It omits the time of rendering. */
export interface ReportDocument {
  title: string
  /** The report's name and its account, for code that reads a workbook back. */
  report: string
  account: string
  /** Account, period and as-of in one line, under the title of every sheet. */
  subtitle: string
  asOfMs: number
  /** When the last run that supplied its data ended; by default `asOfMs`. */
  runsEndMs?: number
  /** The zone of its times. */
  timeZone?: string
  /** The instant since which it shows changes, if requested. */
  sinceMs?: number
  /** The report's settings from the configuration, if it has any. */
  settings?: Readonly<Record<string, unknown>>
  sections: readonly Section[]
}

export interface Period {
  fromMs: number
  toMs: number
  label: string
}

/** How completely the report's needed streams were read. */
export interface ReportCoverage {
  /** Whether everything was read: if not, figures are too low, and absent rows prove nothing. */
  whole: boolean
  /** The first line of the report, which states this. */
  verdict: Note
  /** The parts of the period for which a needed stream was not read, in no order. */
  unread: readonly Window[]
  /** The streams whose ledger differs from what was signed, so that their entries prove nothing. */
  disputed: readonly string[]
}

/** `Streams` are those that the report needs or optionally shows: it cannot read rows of others. */
export interface ReportContext<Params, Streams extends Stream = Stream, Settings = unknown> {
  /** Reads one read-only snapshot. */
  db: Kysely<ReportLedgers>
  /** The report's account. Queries on the engine's own tables, past `rows`, must be restricted to it. */
  account: string
  /**
   * The account's rows of a stream as of the last run that read it completely, without deleted ones:
   * `selectFrom(rows(x).as('x'))`. Empty for an optional stream that was never read.
   */
  rows: RowsOf<Streams>
  /** The last versions of deleted rows, with the time and run of the discovery as `gone_at` and `gone_by`. */
  goneRows: GoneRowsOf<Streams>
  /** The history of `rows`, including versions that had ended by then, without later runs' findings. */
  versions: VersionsOf<Streams>
  /**
   * The run as of which `rows` reads a stream: the ledger's entries up to it describe those rows. Undefined
   * for an optional stream that was never read.
   */
  runId(stream: Streams): number | undefined
  /**
   * `rows` as of the report's previous publication, or as of the requested instant; undefined if there is
   * neither.
   */
  previousRows: RowsOf<Streams> | undefined
  /** Whether a comparison with an instant was requested: then the report shows the changes since. */
  since: boolean
  /** Runs a query once and keeps its rows while the report is made, for use by several sheets. */
  keep<Row>(name: string, query: Expression<Row>): Promise<Relation<Row>>
  params: Params
  /** The report's entry under `reports.settings` in the configuration. */
  settings: Settings
  timeZone: string
  periods: ReportPeriods | undefined
  coverage: ReportCoverage
  /** False if the previous period was not read, so that nothing can be compared with it. */
  beforeCovered: boolean
  /** The streams and notifications that fell silent in the period. */
  low: readonly LowStretch[]
  /** The parts of any other stretch of time for which a needed stream was not read, in no order. */
  unreadIn(stretch: Window): Promise<readonly Window[]>
  /** When the run of the first of the needs ended, or the account's last run, in epoch milliseconds. */
  asOfMs: number
  /** The as-of time of `previousRows`. */
  previousAsOfMs: number | undefined
}

export interface ReportPeriods {
  period: Period
  before: Period
}

/** A report's declaration. One file each in `reports/`. */
export interface Report<
  Schema extends z.ZodObject = z.ZodObject,
  Streams extends Stream = Stream,
  Settings extends z.ZodObject = z.ZodObject,
> {
  name: string
  title: string
  params: Schema
  /** The settings that it reads from `reports.settings` under its name; each has a default. */
  settings?: Settings
  /**
   * The streams whose freshness and coverage the provenance states; the first is the report's subject. A
   * report without needs is about the ledgers: it is made whatever was read, and states its own completeness.
   */
  needs: readonly Streams[]
  /** Streams that are shown if they were read: without them the report has less detail, but is correct. */
  optional?: readonly Streams[]
  /** The period in the parameters and the previous one; undefined for an inventory "as of now". */
  periods(params: z.infer<Schema>, at: ReportMoment): ReportPeriods | undefined
  /** How many days before its period it reads rows, which an erasure needs; by default any number. */
  looksBackDays?: number
  build(
    context: ReportContext<z.infer<Schema>, Streams, z.infer<Settings>>,
  ): Promise<readonly Section[]>
}

export interface ReportMoment {
  asOfMs: number
  timeZone: string
}

/** Declares a report; the compiler lets it read rows only of the streams that it names. */
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
