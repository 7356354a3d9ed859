import type { Stream } from '../../core/declare/stream.ts'
import type { RunContext } from '../run/run-context.ts'
import type { RunResult } from '../run/run-types.ts'
import type { SliceReading } from '../run/slice-reading.ts'

/** Whether a stream's lists were refused, and what of that is told at its end. */
export interface Refusals {
  note(readings: readonly SliceReading[]): void
  tell(run: RunContext, stream: Stream): void
}

/**
 * Who answers one list of a stream does not refuse the stream: a refusal beside it is a fault, and the run
 * is not complete.
 */
export function refusals(): Refusals {
  let reason: string | undefined
  let answered = false
  return {
    note(readings) {
      for (const { state, error, pages } of readings) {
        answered ||= pages > 0
        if (state === 'not_allowed' && error instanceof Error) reason ??= error.message
      }
    },
    tell(run, stream) {
      if (reason === undefined) return
      if (answered)
        run.problem(
          `${stream.name}: refused, while other lists were answered. ${reason}`,
          true,
          stream,
        )
      else run.refuse(stream, reason)
    },
  }
}

/**
 * Whether a job could read nothing that it is for: all its streams were refused, or belong to one that was.
 */
export function isWhollyRefused(
  streams: readonly Stream[],
  notAllowed: RunResult['notAllowed'],
): boolean {
  const isShut = ({ name, sync }: Stream): boolean =>
    name in notAllowed ||
    ((sync.kind === 'nested' || sync.kind === 'fan-out') && isShut(sync.parent))
  return streams.length > 0 && streams.every(isShut)
}
