import { type Expression, type QueryExecutorProvider, sql } from 'kysely'
import type { Cell, StreamedRows } from '../../src/core/define/report.ts'
import { constant } from './expressions.ts'

export interface CursorQuery {
  /** The cursor's name, unique among the report's tables. */
  name: string
  /** The columns in the order of the cells. */
  columns: readonly string[]
  query: Expression<unknown>
}

/**
 * Reads rows through a cursor while they are written. A preview of the first rows leaves the cursor open, and
 * the next stream continues with it, so a workbook runs the query once. Any further stream runs it again.
 */
export class CursorRows implements StreamedRows {
  private readonly db: QueryExecutorProvider
  private readonly source: CursorQuery
  private head: Cell[][] | undefined
  /** The rows fetched for a preview, and the rest of the cursor. */
  private begun: { rows: Cell[][]; rest: AsyncGenerator<Cell[][]> } | undefined

  constructor(db: QueryExecutorProvider, source: CursorQuery) {
    this.db = db
    this.source = source
  }

  async first(limit: number): Promise<readonly Cell[][]> {
    this.head ??= await this.open()
    return this.head.slice(0, Math.min(limit, HEAD_ROWS))
  }

  async *stream(): AsyncGenerator<Cell[][]> {
    this.head ??= await this.open()
    const { begun } = this
    this.begun = undefined
    if (begun === undefined) {
      yield* this.read()
      return
    }
    yield begun.rows
    yield* begun.rest
  }

  private async open(): Promise<Cell[][]> {
    const rest = this.read()
    const next = await rest.next()
    const rows = next.done === true ? [] : next.value
    this.begun = { rows, rest }
    return rows.slice(0, HEAD_ROWS)
  }

  private async *read(): AsyncGenerator<Cell[][]> {
    const { name, columns, query } = this.source
    const cursor = sql.id(`rows of ${name}`)
    await sql`declare ${cursor} no scroll cursor for ${query}`.execute(this.db)
    const fetch = () =>
      sql<CursorRow>`fetch forward ${constant(FETCHED_ROWS)} from ${cursor}`.execute(this.db)
    // The database fetches the next rows while these are written.
    let next = fetch()
    let failed = false
    try {
      for (;;) {
        failed = true
        const { rows } = await next
        failed = false
        const last = rows.length < FETCHED_ROWS
        if (!last) next = fetch()
        // The next iteration awaits `next`. If the reader stops before that, its error would be unhandled.
        next.catch(() => undefined)
        // Waits until the request is sent, because writing these rows blocks the event loop.
        await new Promise(setImmediate)
        yield rows.map((row) => columns.map((column) => row[column] ?? null))
        if (last) return
      }
    } finally {
      // After an error the transaction accepts no statements, and the database closes its cursors.
      if (!failed) await sql`close ${cursor}`.execute(this.db)
    }
  }
}

type CursorRow = Readonly<Record<string, Cell>>

/**
 * The number of rows per fetch. Fetched rows stay in memory until they are written; with more of them, the
 * garbage collector would have to copy them.
 */
const FETCHED_ROWS = 300
/** The number of rows in a preview: enough to measure a sheet's columns, and for the page. */
const HEAD_ROWS = FETCHED_ROWS
