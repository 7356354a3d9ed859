import type { Job } from '../core/define/job.ts'
import { fetchedStream, type Stream } from '../core/define/stream.ts'
import { retryDatabase } from '../warehouse/ledger/retry-database.ts'
import { everRead, lastRefusal } from './ledger/refused-streams.ts'
import type { RunContext } from './run/run-context.ts'
import { readToTheEnd } from './run-verdict.ts'

/**
 * Lists that are read for each parent are complete only if all parents are known. Makes the run incomplete if
 * no run ever read all parents, and refuses the stream if the account may not read the parents.
 */
export async function reportUnreadParents(run: RunContext, { streams }: Job): Promise<void> {
  const broken = run.breaker.tripped()
  const outage = broken instanceof Error ? broken.message : undefined
  for (const stream of streams) {
    const { name, sync } = stream
    if (sync.kind !== 'fan-out') continue
    const parent = fetchedStream(sync.parent)
    const { notAllowed } = run.noted()
    // A refusal of the stream or of its parents is already reported.
    if (name in notAllowed || parent.name in notAllowed) continue
    if (await isKnown(run, streams, parent)) continue
    // After a stop, unread parents are no fault.
    run.signal.throwIfAborted()
    const isOurs = streams.includes(parent)
    const scope = { account: run.account, stream: parent.name }
    const lookUp = (): Promise<string | undefined> => lastRefusal(run.warehouse, scope)
    const reason = isOurs ? undefined : await retryDatabase(run, lookUp)
    if (reason !== undefined) run.refuse(stream, `It is read for each of ${parent.name}. ${reason}`)
    else run.problem(`${name}: ${outage ?? neverRead(name, parent.name)}`, true, stream)
  }
}

function neverRead(name: string, parent: string): string {
  return (
    `${parent} was never read completely, so rows of ${name} may be missing; ` +
    `sync the job that reads ${parent} first`
  )
}

/** Whether this run, or an earlier one, read all parents. */
async function isKnown(
  run: RunContext,
  streams: readonly Stream[],
  parent: Stream,
): Promise<boolean> {
  if (readToTheEnd(run, { streams }).includes(parent.name)) return true
  const scope = { account: run.account, stream: parent.name }
  return await retryDatabase(run, () => everRead(run.warehouse, scope))
}
