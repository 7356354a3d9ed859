import { retryDatabase } from '../warehouse/ledger/retry-database.ts'
import { costOf, type FetchTurn, type PendingSession } from './deadlines.ts'
import type { ArchiveWork } from './work.ts'

type Turn = FetchTurn<PendingSession>

/** What may be fetched of parents whose files have no deadline, while others have one. */
export interface Allowance {
  /** Each parent waits for the one before it, as what that took is not known earlier. */
  oneByOne: boolean
  /** How many of a turn's files may be fetched now; the rest is kept back. */
  take(turn: Turn): Promise<number>
  /** Files that were kept back so far. */
  keptBack(): number
}

/**
 * Files without a deadline get the calls that are spare: those that archives need to be fetched in time are
 * left to them, whichever job comes first.
 */
export async function allowanceOf(work: ArchiveWork, turns: readonly Turn[]): Promise<Allowance> {
  const { source, archive } = work
  const all: Allowance = {
    oneByOne: false,
    take: async ({ archives }) => archives,
    keptBack: () => 0,
  }
  if (source.expiresAt !== undefined || !archive.settings.files) return all
  const spareCalls = await retryDatabase(work, () => archive.spareCalls(source.download.rate))
  const spare = () => retryDatabase(work, spareCalls)
  const calls = turns.reduce((sum, { session }) => sum + costOf(session), 0)
  // Some lists and files are asked for twice.
  if ((await spare()) >= 2 * calls) return all
  let kept = 0
  return {
    oneByOne: true,
    async take({ archives, session }) {
      const most = Math.max(0, Math.min(archives, (await spare()) - session.pages))
      kept += archives - most
      return most
    },
    keptBack: () => kept,
  }
}
