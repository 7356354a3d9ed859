import type { Clock } from '../core/clock.ts'
import type { Output } from './output.ts'
import { createPace, type Pace, type Progress, type Step } from './pace.ts'

/**
 * Moving lines where people watch a terminal; elsewhere, on stderr, a line for each stream every few
 * seconds.
 */
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
