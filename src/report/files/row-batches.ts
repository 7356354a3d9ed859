import type { Cell, Rows } from '../../core/define/report.ts'

/** Reads the first rows, in memory or streamed. */
export async function firstRows(rows: Rows, limit: number): Promise<readonly (readonly Cell[])[]> {
  return 'stream' in rows ? await rows.first(limit) : rows.slice(0, limit)
}

/** Returns all rows in batches. */
export function rowBatches(
  rows: Rows,
): AsyncIterable<readonly (readonly Cell[])[]> | readonly (readonly (readonly Cell[])[])[] {
  return 'stream' in rows ? rows.stream() : [rows]
}
