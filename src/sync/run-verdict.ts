import type { Job } from '../core/define/job.ts'
import type { Stream } from '../core/define/stream.ts'
import type { RunContext } from './run/run-context.ts'
import type { RunNotes } from './run/run-types.ts'

/**
 * The final state of a run that no error ended: `paused` if the quota left slices unread; otherwise complete
 * only if every planned slice was read to its end, no deletion guard tripped and no problem blocks the run. A
 * stream that the account may not read does not count, unless the job has no other stream.
 */
export function runVerdict({ streams }: Job, result: RunNotes): RunNotes['state'] {
  const slices = Object.values(result.slices)
  const incomplete =
    isWhollyRefused(streams, result.notAllowed) ||
    Object.keys(result.slices).some((name) => !isReadWhole(result, name))
  const spent = slices.some(({ notRead }) => notRead > 0)
  if (spent || result.state === 'paused') return 'paused'
  return incomplete || result.trippedGuards.length > 0 ? 'incomplete' : result.state
}

/**
 * The streams whose due slices were all read, or refused because the stream is not allowed. Leaves out a
 * stream with a blocking problem or tripped guard, its own or a nested one's. Empty for a run of a range.
 */
export function readToTheEnd(run: RunContext, { streams }: Pick<Job, 'streams'>): string[] {
  const result = run.noted()
  if (run.range !== undefined || isWhollyRefused(streams, result.notAllowed)) return []
  const cutOf = (stream: Stream): Stream[] =>
    run.cutsOf(stream).flatMap((cut) => [cut, ...cutOf(cut)])
  return streams.flatMap((stream) => {
    const { name, sync } = stream
    if (sync.kind === 'nested' || !isReadWhole(result, name)) return []
    const names = [stream, ...cutOf(stream)]
    const broken = names.some(
      (one) =>
        run.inTrouble(one) || result.trippedGuards.some((guard) => guard.stream === one.name),
    )
    return broken ? [] : [name]
  })
}

/** Also true for a stream with nothing due. */
function isReadWhole({ slices, notAllowed }: RunNotes, name: string): boolean {
  const counts = slices[name]
  if (counts === undefined) return true
  return counts.planned === counts.complete + (name in notAllowed ? counts.notAllowed : 0)
}

/** Whether a job could read none of its streams: each was refused, or its parent stream was. */
export function isWhollyRefused(
  streams: readonly Stream[],
  notAllowed: RunNotes['notAllowed'],
): boolean {
  const isShut = ({ name, sync }: Stream): boolean =>
    name in notAllowed ||
    ((sync.kind === 'nested' || sync.kind === 'fan-out') && isShut(sync.parent))
  return streams.length > 0 && streams.every(isShut)
}
