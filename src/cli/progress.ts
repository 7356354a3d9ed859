import type { Clock } from '../core/clock.ts'
import { count, duration, type Output } from './output.ts'

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

/** Moving lines where people watch a terminal; elsewhere, on stderr, a line for each stream every few seconds. */
export async function showProgress(
  { output, clock }: { output: Output; clock: Clock },
  title: string,
  streams: readonly string[],
): Promise<Progress> {
  const pace = createPace(clock)
  if (!output.terminal) return plainProgress(output, pace, clock)
  const { terminalProgress } = await import('./terminal-progress.ts')
  return terminalProgress(title, streams, pace)
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

function plainProgress(output: Output, pace: Pace, clock: Clock): Progress {
  const shown = new Map<string, { atMs: number; text: string }>()
  const last = new Map<string, Step>()
  const show = (step: Step): void => {
    const text = `${step.stream}: ${pace(step)}`
    const previous = shown.get(step.stream)?.text
    shown.set(step.stream, { atMs: clock.elapsed(), text })
    if (text !== previous) output.note(text)
  }
  return {
    step(step) {
      last.set(step.stream, step)
      const previous = shown.get(step.stream)
      if (previous === undefined) {
        pace(step)
        shown.set(step.stream, { atMs: clock.elapsed(), text: '' })
      } else if (clock.elapsed() - previous.atMs >= INTERVAL_MS) show(step)
    },
    remark() {},
    async end() {
      for (const step of last.values()) show(step)
    },
  }
}

const INTERVAL_MS = 5_000
