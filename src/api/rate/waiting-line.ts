import { createSlots } from '../../core/slot-pool.ts'
import { whenAborted } from '../../core/when-aborted.ts'

/** What a lane needs of its queue. */
export interface LaneQueue {
  add(task: () => Promise<void>): Promise<unknown>
  pause(): unknown
  start(): unknown
}

export interface WaitingLine {
  /**
   * Waits for a place in the queue. A call may be taken away while it waits, never while it is under way;
   * it rejects with the reason then.
   */
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
  const waiting = createSlots<(reason: Error) => void>()
  return {
    enter: ({ signal, task, onLeft }) =>
      new Promise((resolve, reject) => {
        let left = false
        let slot = -1
        const settle = (): void => {
          waiting.remove(slot, leave)
          stopListening()
        }
        const leave = (reason: Error): void => {
          left = true
          settle()
          onLeft()
          reject(reason)
        }
        const onAbort = (): void => leave(signal?.reason as Error)
        const stopListening = whenAborted(signal, onAbort)
        if (signal?.aborted === true) return onAbort()
        slot = waiting.add(leave)
        // Who has left passes on its turn when that comes.
        void queue.add(async () => {
          if (left) return
          settle()
          await task().then(resolve, reject)
        })
      }),
    dismiss: (reason) => waiting.each((leave) => leave(reason)),
  }
}
