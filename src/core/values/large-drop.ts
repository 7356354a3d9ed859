export interface DropLimits {
  share: number
  rows: number
}

/** Whether so many of all are more than a few: past both limits at once. */
export function isLargeDrop(missing: number, of: number, { share, rows }: DropLimits): boolean {
  return missing > rows && missing > share * of
}

/** The same of lines that a person deleted, and all of them in any case: a slip empties a sheet as well. */
export function isLargeRemoval(deleted: number, of: number, limits: DropLimits): boolean {
  return deleted > 0 && (deleted === of || isLargeDrop(deleted, of, limits))
}
