/** What was sent lately: it says what a limit is at the moment when a call is refused. */
export interface SendRecord {
  started(nowMs: number, heldUp: boolean): void
  sent(nowMs: number): void
  /** Undefined for a call that was under way when an earlier one was refused: the two are one refusal. */
  refused(sentAtMs: number, nowMs: number): SentBefore | undefined
}

export interface SentBefore {
  /** Calls of the window before that were not refused. */
  recent: number
  /** The same of all the time since the refusal before, as calls a window; unknown after a time of rest. */
  sustained: number | undefined
  sinceMs: number
}

export function createSendRecord(windowMs: number): SendRecord {
  const recent: number[] = []
  let sinceRefusal = 0
  let startedMs = Number.NEGATIVE_INFINITY
  let refusedAtMs = Number.NEGATIVE_INFINITY
  let knownAtMs = Number.NEGATIVE_INFINITY
  let rested = true
  return {
    started(nowMs, heldUp) {
      if (!heldUp && nowMs - startedMs > REST_WINDOWS * windowMs) rested = true
      startedMs = nowMs
    },
    sent(nowMs) {
      recent.push(nowMs)
      sinceRefusal++
      while ((recent[0] ?? nowMs) < nowMs - 2 * windowMs) recent.shift()
    },
    refused(sentAtMs, nowMs) {
      const itself = recent.lastIndexOf(sentAtMs)
      if (itself >= 0) recent.splice(itself, 1)
      sinceRefusal--
      if (sentAtMs <= knownAtMs) return undefined
      const before = recent.filter((at) => at <= sentAtMs && at > sentAtMs - windowMs).length
      const after = recent.filter((at) => at > sentAtMs).length
      const sinceMs = sentAtMs - refusedAtMs
      const sustained = rested ? undefined : ((sinceRefusal - after) * windowMs) / sinceMs
      sinceRefusal = after
      refusedAtMs = sentAtMs
      knownAtMs = nowMs
      rested = false
      return { recent: before, sustained, sinceMs }
    },
  }
}

/** A hold of a window is no rest. */
const REST_WINDOWS = 3
