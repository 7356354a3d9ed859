import type { FileProgress } from '../../archive/result.ts'
import type { FileKind } from '../../core/define/file-source.ts'
import type { Clock } from '../../core/time/clock.ts'
import { bytesText, count, counted, duration } from '../../core/values/quantities.ts'
import type { StreamProgress } from '../../sync/run/run-types.ts'

/** The progress of a stream or a kind of file, as often as the engine reports it. */
export type Step = Omit<StreamProgress, 'job'> | FileProgress

export function lineOf(step: Step): string {
  return 'files' in step ? fileLine(step.files) : step.stream
}

export function fileLine(kind: FileKind): string {
  return `${kind} files`
}

/** Returns a step's state, by the counts; a step that could not read everything is incomplete. */
export function stateOf(step: Step): 'at work' | 'incomplete' | 'done' | 'waiting' {
  const { done, planned, lacks } = countsOf(step)
  if (planned === 0) return 'waiting'
  if (done < planned) return 'at work'
  return lacks.length > 0 ? 'incomplete' : 'done'
}

export interface ShownProgress {
  step(step: Step): void
  /** Explains why nothing moves. Prints nothing if logs are written, because the log reports that. */
  remark(text: string): void
  /** Shows the last state and releases the terminal. */
  end(): Promise<void>
}

/**
 * Describes a step: its records or files, their rate since the step began, and the estimated time left. The
 * first text has all of this; each later text has less, for narrow terminals.
 */
export type Pace = (step: Step) => readonly [string, ...string[]]

export function createPace(clock: Clock): Pace {
  const began = new Map<string, { atMs: number; done: number }>()
  return (step) => {
    const line = lineOf(step)
    const { done, planned, got, lacks, unit, things, thing } = countsOf(step)
    const before = began.get(line)
    // If a count restarts, as for files at the end of a run, the rate restarts too.
    const atMs = before === undefined || done < before.done ? clock.elapsed() : before.atMs
    began.set(line, { atMs, done })
    const elapsedMs = clock.elapsed() - atMs
    const ended = [`${count(got)} of ${counted(planned, unit)}`, ...lacks]
    const perSecond = elapsedMs >= 1_000 ? Math.round((thing.many * 1000) / elapsedMs) : 0
    const rate = perSecond > 0 ? [`${counted(perSecond, thing.name)}/s`] : []
    const leftMs = done === 0 ? 0 : (elapsedMs / done) * (planned - done)
    const left = leftMs >= 1_000 ? [`about ${duration(leftMs)} left`] : []
    const text = (...parts: string[][]): string => parts.flat().join(', ')
    return [
      text(ended, [things], rate, left),
      text(ended, [things], left),
      text(ended, left),
      text(ended),
    ]
  }
}

function countsOf(step: Step) {
  if ('files' in step) {
    const { filesDone: done, filesPlanned: planned, bytes } = step
    const things = bytesText(bytes)
    const thing = { many: done, name: 'file' }
    return { done, planned, got: done, lacks: [], unit: 'file', things, thing }
  }
  const { slicesDone: done, slicesPlanned: planned, rows } = step
  const lacking = {
    failed: step.slicesFailed,
    'not allowed': step.slicesNotAllowed,
    'not read': step.slicesNotRead,
  }
  const lacks = Object.entries(lacking).flatMap(([what, slices]) =>
    slices > 0 ? [`${count(slices)} ${what}`] : [],
  )
  const got = Object.values(lacking).reduce((rest, slices) => rest - slices, done)
  const things = counted(rows, 'record')
  const thing = { many: rows, name: 'record' }
  return { done, planned, got, lacks, unit: 'slice', things, thing }
}
