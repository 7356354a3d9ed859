import type { Stream } from '../../core/declare/stream.ts'
import { lapsingOf, recordLapsed } from '../../warehouse/archive/lapsed-parents.ts'
import { inTransaction } from '../run/retry-database.ts'
import type { RunContext } from '../run/run-context.ts'
import type { RunResult } from '../run/run-types.ts'

/**
 * What expired at the service before its list was ever read to its end is asked for no more, so that nothing
 * else would tell of it: an incident each, and a problem of the run that finds it.
 */
export async function reportLapsed(
  run: RunContext,
  stream: Stream,
  { notAllowed }: RunResult,
): Promise<void> {
  const lapsing = lapsingOf(run.account, stream)
  if (lapsing === undefined) return
  const lapsed = await inTransaction(run, (tx) => recordLapsed(tx, lapsing, run.runId))
  if (lapsed === 0) return
  const { stream: parent } = lapsing.parent
  run.problem(
    `${stream.name}: ${lapsed} of ${parent.name} expired before their lists were read, so that what they ` +
      'held is lost (callsheet.incidents names them)',
    // What the account may not read is told of the stream, and fails no run.
    !(stream.name in notAllowed),
    // What was read is right all the same, and reports shall tell of the loss.
    'files',
  )
}
