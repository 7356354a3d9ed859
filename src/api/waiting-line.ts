/**
 * What a lane needs of its queue. A call that is taken away while it waits rejects with the signal's
 * reason.
 */
export interface LaneQueue {
  add<T>(task: () => Promise<T>, options: { signal: AbortSignal }): Promise<T>
  pause(): unknown
  start(): unknown
}

export interface WaitingLine {
  /** Waits for a place in the queue. A call may be taken away while it waits, never while it is under way. */
  enter<T>(entry: LineEntry<T>): Promise<T>
  /** Turns away all that wait. */
  dismiss(reason: Error): void
}

export interface LineEntry<T> {
  signal: AbortSignal | undefined
  task(): Promise<T>
  /** The call left without having begun. */
  onLeft(): void
}

export function createWaitingLine(queue: LaneQueue): WaitingLine {
  const waiting = new Set<AbortController>()
  return {
    async enter({ signal, task, onLeft }) {
      const place = new AbortController()
      const onAbort = (): void => place.abort(signal?.reason)
      let begun = false
      const settle = (): void => {
        waiting.delete(place)
        signal?.removeEventListener('abort', onAbort)
      }
      const begin = <T>(work: () => Promise<T>): Promise<T> => {
        begun = true
        settle()
        return work()
      }
      waiting.add(place)
      signal?.addEventListener('abort', onAbort, { once: true })
      try {
        return await queue.add(() => begin(task), { signal: place.signal })
      } finally {
        settle()
        if (!begun) onLeft()
      }
    },
    dismiss: (reason) => {
      for (const place of waiting) place.abort(reason)
    },
  }
}
