import { wantsFiles } from '../../archive/work.ts'
import type { Config } from '../../config/schema.ts'
import type { Job } from '../../core/define/job.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Output } from './output.ts'
import {
  createPace,
  fileLine,
  lineOf,
  type Pace,
  type ShownProgress,
  type Step,
} from './progress-lines.ts'

/**
 * Shows moving lines on a terminal. Elsewhere it writes a line to stderr every few seconds for each stream
 * and kind of file.
 */
export async function showProgress(
  { output, clock }: { output: Output; clock: Clock },
  title: string,
  lines: readonly string[],
): Promise<ShownProgress> {
  const pace = createPace(clock)
  if (!output.terminal) return plainProgress(output, pace, clock)
  const { terminalProgress } = await import('./terminal-progress.ts')
  return terminalProgress({ screen: process.stderr, clock, pace }, title, lines)
}

/** Returns the lines of a sync: its streams, except nested ones, and the kinds of file to archive. */
export function linesOf(
  { archive: settings }: Pick<Config, 'archive'>,
  jobs: readonly Job[],
): string[] {
  const read = jobs.flatMap((job) => job.streams).filter(({ sync }) => sync.kind !== 'nested')
  return [...read.map(({ name }) => name), ...fileLines({ archive: settings }, jobs)]
}

export function fileLines(
  { archive: settings }: Pick<Config, 'archive'>,
  jobs: readonly Job[],
): string[] {
  const sources = jobs.flatMap(({ archive }) => archive ?? [])
  return sources
    .filter((source) => wantsFiles({ settings }, source))
    .map(({ kind }) => fileLine(kind))
}

function plainProgress(output: Output, pace: Pace, clock: Clock): ShownProgress {
  const shown = new Map<string, { atMs: number; text: string }>()
  const last = new Map<string, Step>()
  const show = (step: Step): void => {
    const line = lineOf(step)
    const text = `${line}: ${pace(step)[0]}`
    const previous = shown.get(line)?.text
    shown.set(line, { atMs: clock.elapsed(), text })
    if (text !== previous) output.note(text)
  }
  return {
    step(step) {
      const line = lineOf(step)
      last.set(line, step)
      const previous = shown.get(line)
      if (previous === undefined) {
        pace(step)
        shown.set(line, { atMs: clock.elapsed(), text: '' })
      } else if (clock.elapsed() - previous.atMs >= INTERVAL_MS) show(step)
    },
    remark() {},
    async end() {
      for (const step of last.values()) show(step)
    },
  }
}

const INTERVAL_MS = 5_000
