export interface DropLimits {
  share: number
  rows: number
}

/** Whether a drop is large: it exceeds both limits at once. */
export function isLargeDrop(missing: number, of: number, { share, rows }: DropLimits): boolean {
  return missing > rows && missing > share * of
}

/** Whether a person deleted too many lines. Deleting all always counts, since a slip can empty a sheet. */
export function isLargeRemoval(deleted: number, of: number, limits: DropLimits): boolean {
  return deleted > 0 && (deleted === of || isLargeDrop(deleted, of, limits))
}
