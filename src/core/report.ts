import type { Kysely } from 'kysely'
import type { z } from 'zod'
import type { Stream } from './stream.ts'

/**
 * A cell's value; how it shows is the column's affair. Instants are ISO text in UTC, dates
 * `yyyy-mm-dd`.
 */
export type Cell = string | number | boolean | null

export type CellFormat =
  | 'text'
  | 'integer'
  | 'decimal'
  | 'percent'
  | 'date'
  | 'instant'
  | 'seconds'
  | 'boolean'

export interface TableColumn {
  /** The wire's own name where there is one. */
  name: string
  title: string
  format: CellFormat
  /** Colours the cell by its value: a named quality, or a share on a white-to-red scale. */
  tint?: 'quality' | 'bad-share' | 'delta'
}

/** What a page of a report is made of. Only the renderers know xlsx and html. */
export type Block =
  | { kind: 'note'; text: string; tone: 'plain' | 'good' | 'warning' | 'bad' }
  | { kind: 'figures'; title: string; figures: readonly Figure[] }
  | {
      kind: 'table'
      title: string
      columns: readonly TableColumn[]
      rows: AsyncIterable<readonly Cell[]> | readonly (readonly Cell[])[]
    }
  | { kind: 'chart'; title: string; chart: Chart }

export interface Figure {
  label: string
  value: Cell
  format: CellFormat
  /** The same figure in the period before. */
  before?: Cell
}

export interface Chart {
  type: 'bar' | 'stacked-bar' | 'stacked-bar-100' | 'line'
  categories: readonly string[]
  series: readonly {
    name: string
    values: readonly (number | null)[]
    tone?: 'good' | 'fair' | 'poor' | 'bad' | 'neutral'
  }[]
  valueFormat: 'integer' | 'percent'
}

/**
 * One sheet of the workbook, one section of the page. Sheets of `detail: true` are left out of the
 * page.
 */
export interface Section {
  title: string
  blocks: readonly Block[]
  detail?: boolean
}

export interface ReportContext<Params> {
  /** Bound to one account and one read-only snapshot. Tables as in `svc.*`; views as in `report.*`. */
  // oxlint-disable-next-line typescript/no-explicit-any -- the columns derive from the streams at run time
  db: Kysely<any>
  account: string
  params: Params
  /** As of when, epoch milliseconds: the end of the last complete runs. */
  asOfMs: number
  /** When this report was last published for this account, if ever; its run's as-of time. */
  previousAsOfMs: number | undefined
}

/** What is on the page. One file each in `reports/`. */
export interface Report<Schema extends z.ZodObject = z.ZodObject> {
  name: string
  title: string
  params: Schema
  /** The streams whose freshness and coverage the cover states. */
  needs: readonly Stream[]
  /**
   * The period that the parameters name, for the coverage check; undefined for an inventory "as of
   * now".
   */
  period(params: z.infer<Schema>): { fromMs: number; toMs: number; label: string } | undefined
  build(context: ReportContext<z.infer<Schema>>): Promise<readonly Section[]>
}

export function defineReport<Schema extends z.ZodObject>(report: Report<Schema>): Report<Schema> {
  return Object.freeze(report)
}
