import type { Cell, Rows } from '../../core/define/report.ts'

/** Returns the first rows of a table, whose rows are in memory or streamed. */
export async function firstRows(rows: Rows, limit: number): Promise<readonly (readonly Cell[])[]> {
  return 'stream' in rows ? await rows.first(limit) : rows.slice(0, limit)
}

/** Returns all rows in batches; rows in memory are a single batch. */
export function rowBatches(
  rows: Rows,
): AsyncIterable<readonly (readonly Cell[])[]> | readonly (readonly (readonly Cell[])[])[] {
  return 'stream' in rows ? rows.stream() : [rows]
}
