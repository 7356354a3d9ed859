/** A range of instants, `from` inclusive and `to` exclusive, in epoch milliseconds. */
export interface Window {
  fromMs: number
  toMs: number
}

/** Two instants in epoch milliseconds. */
export interface Span {
  fromMs: number
  toMs: number
}

export function holds({ fromMs, toMs }: Window, atMs: number): boolean {
  return atMs >= fromMs && atMs < toMs
}
