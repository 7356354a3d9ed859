import { createSlots } from '../../core/slot-pool.ts'
import { whenAborted } from '../../core/when-aborted.ts'

/** What the waiting calls need of their queue. */
export interface CallQueue {
  add(task: () => Promise<void>): Promise<unknown>
  pause(): unknown
  start(): unknown
}

export interface WaitingCalls {
  /**
   * Waits in the queue. A call may be removed while it waits, never while it is under way; then it rejects
   * with the reason.
   */
  enter<T>(entry: WaitingCall<T>): Promise<T>
  /** Rejects all that wait. */
  dismiss(reason: Error): void
}

export interface WaitingCall<T> {
  signal: AbortSignal | undefined
  task(): Promise<T>
  /** The call left without having begun. */
  onLeft(): void
}

export function createWaitingCalls(queue: CallQueue): WaitingCalls {
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
        // A call that has left makes way when the queue comes to it.
        void queue.add(async () => {
          if (left) return
          settle()
          await task().then(resolve, reject)
        })
      }),
    dismiss: (reason) => waiting.each((leave) => leave(reason)),
  }
}
