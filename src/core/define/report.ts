import type { Expression, Kysely } from 'kysely'
import type { z } from 'zod'
import type { Window } from '../time/spans.ts'
import type { LowStretch } from '../values/low-stretch.ts'
import type { Chart } from './chart.ts'
import type { ReportLedgers } from './report-ledgers.ts'
import type { Stream } from './stream.ts'
import type { GoneRowsOf, Relation, RowsOf, VersionsOf } from './stream-row.ts'

/** A cell's value, not how it shows. Durations are seconds, shares are 0 to 1, days `yyyy-mm-dd`. */
export type Cell = string | number | boolean | null

/**
 * `money` is an amount with two decimals, whose currency the title names. `instant` is
 * `yyyy-mm-ddThh:mm:ss` in the report's zone already: SQL does the conversion, row by row.
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
  /** The wire's own name where there is one. */
  name: Name
  title: string
  format: CellFormat
  /**
   * Colours the cell: a named quality, a share from white to red, a change where more is worse, or a state
   * such as `complete`, `stored` and `expired`. A `change` that is neither has its sign alone.
   */
  tint?: 'quality' | 'bad-share' | 'delta' | 'change' | 'state'
  /** `callsheet apply` acts on what a person writes here; `allowed` where nothing else is ever taken. */
  editable?: { allowed?: readonly string[] } | undefined
}

/** Rows that are read while they are written, some hundred at a time; each renderer opens the stream anew. */
export interface StreamedRows {
  stream(): AsyncIterable<readonly (readonly Cell[])[]>
  /** Some of the first rows, for a look at them before they are streamed. */
  first(limit: number): Promise<readonly (readonly Cell[])[]>
}

/** Rows at hand, or streamed ones. */
export type Rows = readonly (readonly Cell[])[] | StreamedRows

export interface Table {
  kind: 'table'
  title: string
  columns: readonly TableColumn[]
  rows: Rows
  /** What to say when there is no row. */
  empty?: string
}

export interface Note {
  kind: 'note'
  text: string
  tone: 'plain' | 'good' | 'warning' | 'bad'
  /** In the provenance: that the parameters are likely a mistake, which whoever gave them is told at once. */
  mistake?: true
  /** Says the report's first figures in a sentence, and names no person: messages about it begin so. */
  headline?: true
  /** Something that the report tells of is not settled: whoever waits for a whole report waits on. */
  unsettled?: true
}

export interface Figures {
  kind: 'figures'
  title: string
  figures: readonly Figure[]
  /** Heads the figures of the period before, e.g. `2026-09`. */
  beforeLabel?: string
}

export interface Figure {
  label: string
  value: Cell
  format: CellFormat
  /** The same figure in the period before. */
  before?: Cell
  /** Whether a rise is good news; without it the change is not coloured. */
  better?: 'higher' | 'lower'
}

export interface ChartBlock {
  kind: 'chart'
  title: string
  chart: Chart
  /** Two halves that follow each other stand side by side. */
  width?: 'full' | 'half'
}

/** What a page of a report is made of. Only the renderers know xlsx and html. */
export type Block = Note | Figures | Table | ChartBlock

/** One sheet of the workbook, one section of the page; `detail: true` marks lists of everything. */
export interface Section {
  title: string
  blocks: readonly Block[]
  detail?: boolean
  /** How the report was made and what it rests on: the last sheet, besides what every report says. */
  provenance?: true
}

/** What renderers take: the summary first, the provenance last. Nothing in it says when it was printed. */
export interface ReportDocument {
  title: string
  /** The report's name and whose it is, for who reads a workbook back. */
  report: string
  account: string
  /** Account, period and as-of in one line, under the title of every sheet. */
  subtitle: string
  asOfMs: number
  /** When the last of the runs ended that it was made from; `asOfMs` where it does not say. */
  runsEndMs?: number
  /** The zone of its times. */
  timeZone?: string
  /** Since when it tells what changed, where that was asked for. */
  sinceMs?: number
  /** What the configuration said for the report, where it takes settings. */
  settings?: Readonly<Record<string, unknown>>
  sections: readonly Section[]
}

export interface Period {
  fromMs: number
  toMs: number
  label: string
}

/** How far what the report needs was read. */
export interface ReportCoverage {
  /** Whether all of it was: where not, figures are too low and nothing is known to be missing or none. */
  whole: boolean
  /** What the first line of the report says of that. */
  verdict: Note
  /** The parts of the period for which a needed stream was not read, in no order. */
  unread: readonly Window[]
  /** The streams of which the ledger is not what was signed: what it says of them proves nothing. */
  disputed: readonly string[]
}

/** `Streams` are those that the report needs, or shows where they were read: no other has rows for it. */
export interface ReportContext<Params, Streams extends Stream = Stream, Settings = unknown> {
  /** Reads one read-only snapshot. */
  db: Kysely<ReportLedgers>
  /** Whose report it is. What is read past `rows`, from the engine's own tables, must be bound to it. */
  account: string
  /**
   * The account's rows of a stream as of the last run that read it whole, without the ones that are gone:
   * `selectFrom(rows(x).as('x'))`. None of an optional stream that was never read.
   */
  rows: RowsOf<Streams>
  /**
   * The ones that are gone, as they were last, with when that was found and by which run, as `gone_at` and
   * `gone_by`.
   */
  goneRows: GoneRowsOf<Streams>
  /** `rows` through time, with the versions that had ended by then. Nothing that a later run found. */
  versions: VersionsOf<Streams>
  /**
   * The run that `rows` reads a stream as of: the ledger's entries up to it speak of those rows. Undefined
   * for an optional stream that was never read.
   */
  runId(stream: Streams): number | undefined
  /**
   * The same as of the report's previous publication, or of the instant that was asked for; undefined when
   * there was none.
   */
  previousRows: RowsOf<Streams> | undefined
  /** Whether an instant was asked for to compare with: then the report tells what changed since. */
  since: boolean
  /** Asks a query once and keeps its rows while the report is made, for what several sheets read. */
  keep<Row>(name: string, query: Expression<Row>): Promise<Relation<Row>>
  params: Params
  /** What the configuration says under `reports.settings` for the report. */
  settings: Settings
  timeZone: string
  periods: ReportPeriods | undefined
  coverage: ReportCoverage
  /** False where the period before was not read: nothing can be compared with it. */
  beforeCovered: boolean
  /** What fell silent in the period, of all streams and notifications. */
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

/** What is on the page. One file each in `reports/`. */
export interface Report<
  Schema extends z.ZodObject = z.ZodObject,
  Streams extends Stream = Stream,
  Settings extends z.ZodObject = z.ZodObject,
> {
  name: string
  title: string
  params: Schema
  /** What it takes from the configuration, under `reports.settings` and its name; each has a default. */
  settings?: Settings
  /**
   * The streams whose freshness and coverage the provenance states; the first is what the report is about. A
   * report without needs is about the ledgers: it is made whatever was read, and says itself what is
   * complete.
   */
  needs: readonly Streams[]
  /** Streams that are shown where they were read: without them the report is poorer, not wrong. */
  optional?: readonly Streams[]
  /** The period that the parameters name and the one before; undefined for an inventory "as of now". */
  periods(params: z.infer<Schema>, at: ReportMoment): ReportPeriods | undefined
  /** How many days before its period it looks for rows, which an erasure asks; any, without it. */
  looksBackDays?: number
  build(
    context: ReportContext<z.infer<Schema>, Streams, z.infer<Settings>>,
  ): Promise<readonly Section[]>
}

export interface ReportMoment {
  asOfMs: number
  timeZone: string
}

/** The streams that a report names are the ones whose rows it may read, which the compiler holds it to. */
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
