import type { Window } from './spans.ts'

/** The parts of `range` that none of `windows` covers, in order. */
export function uncovered(range: Window, windows: readonly Window[]): Window[] {
  const missing: Window[] = []
  let fromMs = range.fromMs
  for (const window of windows.toSorted((a, b) => a.fromMs - b.fromMs)) {
    if (window.fromMs >= range.toMs) break
    if (window.fromMs > fromMs) missing.push({ fromMs, toMs: window.fromMs })
    fromMs = Math.max(fromMs, window.toMs)
  }
  if (fromMs < range.toMs) missing.push({ fromMs, toMs: range.toMs })
  return missing
}
