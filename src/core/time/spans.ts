/** A range of instants, `from` inclusive and `to` exclusive, in epoch milliseconds. */
export interface Window {
  fromMs: number
  toMs: number
}

/** Whether the ranges have an instant in common. */
export function overlaps(one: Window, other: Window): boolean {
  return one.fromMs < other.toMs && one.toMs > other.fromMs
}

export function holds({ fromMs, toMs }: Window, atMs: number): boolean {
  return atMs >= fromMs && atMs < toMs
}
