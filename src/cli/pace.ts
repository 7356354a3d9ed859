import type { Clock } from '../core/clock.ts'
import { count, duration } from './output.ts'

/** How far a stream is; the engine's word, as often as it likes. */
export interface Step {
  stream: string
  slicesDone: number
  slicesPlanned: number
  rows: number
}

export interface Progress {
  step(step: Step): void
  /** Something that explains why nothing moves; where logs are written they say it. */
  remark(text: string): void
  /** Shows the last state and gives the terminal back. */
  end(): Promise<void>
}

/** Says a step in words: rows, rows a second since the stream began, and the time left by the slices done. */
export type Pace = (step: Step) => string

export function createPace(clock: Clock): Pace {
  const began = new Map<string, number>()
  return ({ stream, slicesDone, slicesPlanned, rows }) => {
    const start = began.get(stream) ?? clock.elapsed()
    began.set(stream, start)
    const elapsedMs = clock.elapsed() - start
    const parts = [`${count(slicesDone)} of ${count(slicesPlanned)} slices`, `${count(rows)} rows`]
    if (elapsedMs >= 1_000) parts.push(`${count((rows * 1000) / elapsedMs)} rows/s`)
    const leftMs = slicesDone === 0 ? 0 : (elapsedMs / slicesDone) * (slicesPlanned - slicesDone)
    if (leftMs >= 1_000) parts.push(`about ${duration(leftMs)} left`)
    return parts.join(', ')
  }
}
