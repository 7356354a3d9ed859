/** What was sent lately: it says what a limit is at the moment when a call is refused. */
export interface SendRecord {
  sent(nowMs: number): void
  /**
   * The calls of the window before that were not refused. Undefined for a call that was under way when an
   * earlier one was refused: the two are one refusal. One that was expected is no refusal for the others.
   */
  refused(sentAtMs: number, nowMs: number, expected?: boolean): number | undefined
}

export function createSendRecord(windowMs: number): SendRecord {
  const recent: number[] = []
  let knownAtMs = Number.NEGATIVE_INFINITY
  return {
    sent(nowMs) {
      recent.push(nowMs)
      while ((recent[0] ?? nowMs) < nowMs - 2 * windowMs) recent.shift()
    },
    refused(sentAtMs, nowMs, expected = false) {
      const itself = recent.lastIndexOf(sentAtMs)
      if (itself >= 0) recent.splice(itself, 1)
      if (expected || sentAtMs <= knownAtMs) return undefined
      knownAtMs = nowMs
      return recent.filter((at) => at <= sentAtMs && at > sentAtMs - windowMs).length
    },
  }
}
