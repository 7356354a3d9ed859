import { type DatabaseDeps, inTransaction } from '../warehouse/ledger/retry-database.ts'
import { anchorHead } from './anchor-head.ts'
import { enterFiles } from './enter-files.ts'
import { enterLedgers } from './enter-ledgers.ts'
import { enterRecords } from './enter-records.ts'
import { checkStanding, keepNotes } from './head-notes.ts'
import { readCheckpoint, stateText } from './log/checkpoint.ts'
import type { AppendedEvidence } from './log/evidence-access.ts'
import { signHeads } from './sign-heads.ts'
import type { Appending, AppendOptions } from './sql/appending.ts'
import type { HeadRow } from './sql/heads.ts'
import type { ManifestRow } from './sql/manifest.ts'
import { WHAT_TO_DO } from './unexplained.ts'
import { askWitnesses } from './witness/ask-witnesses.ts'

/**
 * Records all audited versions of records and all stored and removed files that have no entry yet, signs a
 * head over them, and keeps it in the store. The next call completes what an interrupted call left undone.
 * The caller holds the account's lease and writes no audited record meanwhile.
 */
export async function appendEvidence(
  deps: DatabaseDeps,
  options: AppendOptions,
): Promise<AppendedEvidence> {
  const appending: Appending = {
    ...deps,
    ...options,
    batchEntries: options.batchEntries ?? BATCH_ENTRIES,
    inTransaction: (work, kind) => inTransaction({ ...deps, lease: options.lease }, work, kind),
  }
  const problems = await checkStanding(appending)
  await appending.noteErasures?.(deps.warehouse.db, options)
  await enterRecords(appending)
  const files = await enterFiles(appending)
  await enterLedgers(appending)
  problems.push(...files.problems)
  const { signed, head, entries, unexplained, problems: open } = await signHeads(appending)
  problems.push(...unsignedOf(unexplained), ...open)
  let unwitnessed: string | undefined
  if (head !== undefined) {
    problems.push(...(await keepNotes(appending, signed)))
    problems.push(...(await anchorHead(appending, head)))
    const asked = await askWitnesses(appending, head)
    problems.push(...asked.problems)
    unwitnessed = asked.tooFew
  }
  return {
    records: entries.record ?? 0,
    files: entries.file ?? 0,
    removals: entries.removal ?? 0,
    statements: entries.statement ?? 0,
    signed: signed.length,
    unexplained: files.unexplained + unexplained.length,
    unwitnessed,
    problems,
    head:
      head === undefined
        ? undefined
        : { number: head.number, last: head.last_seq, checkpoint: stateOf(head) },
  }
}

function stateOf({ checkpoint }: HeadRow): string | undefined {
  const state = readCheckpoint(checkpoint ?? '')
  return state && stateText(state)
}

function unsignedOf(unexplained: readonly ManifestRow[]): string[] {
  const [first] = unexplained
  if (first === undefined) return []
  const { seq, kind, subject } = first
  return [
    `${unexplained.length} entries that need the key's word are explained by nothing of ours, so neither ` +
      `they nor what came after is signed (first: entry ${seq}, ${kind} of ${subject}): ${WHAT_TO_DO}`,
  ]
}

export type { AppendedEvidence, AppendOptions }

const BATCH_ENTRIES = 2_000
