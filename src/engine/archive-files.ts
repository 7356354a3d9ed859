import { point } from '../core/point.ts'
import {
  admitFiles,
  analyzeFiles,
  expireFiles,
  type FileOutcome,
  refreshExpiry,
  reviveFiles,
  settleFiles,
} from '../warehouse/files.ts'
import { countFiles, pendingFiles, type PendingFile } from '../warehouse/pending-files.ts'
import { mostDays, wantsAnyFiles, wantsFiles } from './archive/access.ts'
import { createCommitter } from './archive/committer.ts'
import { fetchParent, type Fetching } from './archive/fetch-parent.ts'
import { type DueParents, dueParents } from './archive/due-parents.ts'
import { allowanceOf } from './archive/keep-back.ts'
import { type ArchiveResult, noArchive, noteOutcome, notesOn, remarksOn } from './archive/result.ts'
import { createRoom, type Room } from './archive/room.ts'
import type { ArchiveOptions, Work } from './archive/work.ts'
import { createBreaker } from './breaker.ts'
import { enterStored } from './evidence/enter-files.ts'
import { inTransaction, retryDatabase } from './retry-database.ts'
import type { EngineDeps } from './run-context.ts'
import { runLimited } from './run-limited.ts'

/**
 * Fetches the pending files of an account, those that expire first before all others, and enters what became
 * of each; nothing is entered before the store has flushed it. What ends the work early is in the result,
 * with all that was done until then; what was not fetched stays pending, and the next run goes on with it.
 */
export async function archiveFiles(
  deps: EngineDeps,
  options: ArchiveOptions,
): Promise<ArchiveResult> {
  const { archive } = deps
  const result = noArchive()
  if (archive === undefined || !wantsFiles(archive, options.source)) return result
  const { account, source, runId } = options
  const scope = { account, kind: source.kind, runId }
  const work: Work = { ...deps, ...options, archive, result, scope }
  try {
    await admit(work)
    // Before other work nothing is given up: its parent's last day may have moved, and is not read yet.
    const first = options.beforeOthers === true
    if (!first) result.counts.expired += await expire(work)
    const due = await dueParents(work)
    result.scarce = due.scarce
    if (due.turns.length > 0) await fetchAll(work, due)
    // What was too late for this very run.
    if (!first) result.counts.expired += await expire(work)
  } catch (error) {
    result.error = options.signal.aborted ? options.signal.reason : error
  }
  try {
    const { pending } = await retryDatabase(deps, () => countFiles(deps.warehouse.db, work.scope))
    result.counts.pending = pending
  } catch (error) {
    result.error ??= error
  }
  result.problems.push(...remarksOn(result))
  result.notes.push(...notesOn(result))
  return result
}

async function admit(work: Work): Promise<void> {
  const limits = { days: mostDays(work.archive, work.source), most: ADMIT_AT_ONCE }
  let admitted = 0
  let last = ADMIT_AT_ONCE
  for (; last === ADMIT_AT_ONCE; admitted += last) {
    work.signal.throwIfAborted()
    last = await inTransaction(work, (tx) => admitFiles(tx, work, limits))
  }
  if (admitted > MANY_FILES) await inTransaction(work, analyzeFiles)
  const revived = await inTransaction(work, async (tx) => {
    await refreshExpiry(tx, work)
    return await reviveFiles(tx, work.scope)
  })
  if (revived > 0) work.observer.event('archive.revived', { count: revived })
}

const expire = (work: Work): Promise<number> =>
  inTransaction(work, (tx) => expireFiles(tx, work.scope))

async function fetchAll(work: Work, { turns, sideBySide }: DueParents): Promise<void> {
  const { account, client, clock, source, signal, scope } = work
  const store = await work.archive.store()
  const entered = leavesEntries(work)
  const committer = createCommitter(clock, async (group) => {
    await store.flush()
    await point('files:entering')
    await inTransaction(work, async (tx) => {
      const stored = await settleFiles(tx, scope, { outcomes: group, entered })
      if (entered) await enterStored(tx, account, stored)
    })
    await point('files:entered')
    for (const outcome of group) noteOutcome(work.result, outcome)
  })
  const breaker = createBreaker()
  const room = await roomFor(work)
  const tell = progressTeller(work, turns)
  const settle = (outcome: FileOutcome): Promise<void> => {
    tell(outcome)
    return committer.add(outcome)
  }
  const { parentsAtOnce, filesAtOnce } = AT_ONCE[source.kind]
  const given = { client, clock, store, source, signal, breaker, filesAtOnce }
  const fetching: Fetching = { ...given, room, settle }
  const pendingOf = pendingReader(work, turns)
  const allowance = await allowanceOf(work, turns)
  const fetchTurn = async (turn: DueParents['turns'][number]): Promise<void> => {
    signal.throwIfAborted()
    const broken = breaker.tripped()
    if (broken !== undefined) throw broken
    const most = await allowance.take(turn)
    if (most === 0) return
    await fetchParent(fetching, turn.session, await pendingOf(turn.session.session, most))
  }
  const oneByOneFrom = allowance.oneByOne ? 0 : sideBySide
  try {
    await runLimited(turns.slice(0, oneByOneFrom), parentsAtOnce, fetchTurn)
    await runLimited(turns.slice(oneByOneFrom), 1, fetchTurn)
  } catch (error) {
    // What is stored by now is entered, whatever ended the work; that is the error to tell.
    await committer.finish().catch(() => {})
    throw error
  }
  await committer.finish()
  work.result.keptBack = allowance.keptBack()
}

function progressTeller(
  { onProgress, source }: Work,
  turns: readonly { archives: number }[],
): (outcome: FileOutcome) => void {
  const filesPlanned = turns.reduce((sum, { archives }) => sum + archives, 0)
  let filesDone = 0
  let bytes = 0
  return ({ stored }) => {
    bytes += stored?.size ?? 0
    onProgress?.({ files: source.kind, filesDone: ++filesDone, filesPlanned, bytes })
  }
}

/** Reads what is pending of a parent. With two turns it is read once, and each takes its own part. */
function pendingReader(work: Work, turns: DueParents['turns']) {
  const seen = new Set<string>()
  const shared = new Map<string, Promise<PendingFile[]> | undefined>()
  for (const { session } of turns)
    if (seen.has(session.session)) shared.set(session.session, undefined)
    else seen.add(session.session)
  const read = (parent: string): Promise<PendingFile[]> =>
    retryDatabase(work, () => pendingFiles(work.warehouse.db, work.scope, parent))
  return async (parent: string, archives: number): Promise<PendingFile[]> => {
    if (!shared.has(parent)) return (await read(parent)).slice(0, archives)
    const reading = shared.get(parent) ?? read(parent)
    shared.set(parent, reading)
    const files = await reading
    return files.splice(0, archives)
  }
}

/** Whether the manifest tells of the files: then what is stored and what it tells are one step. */
function leavesEntries({ evidence, archive }: Work): boolean {
  return evidence !== undefined && wantsAnyFiles(archive)
}

/** Recordings are large, so there is a bound to what is kept of them. */
async function roomFor(work: Work): Promise<Room> {
  if (work.source.kind !== 'recording') return createRoom(Number.POSITIVE_INFINITY)
  const { storedBytes } = await retryDatabase(work, () => countFiles(work.warehouse.db, work.scope))
  return createRoom(work.archive.settings.recordingsBytes - storedBytes)
}

const ADMIT_AT_ONCE = 50_000
const MANY_FILES = 1_000
/**
 * The label's governor bounds what is really under way; large files are also few at a time. Small ones are
 * never so many that a store on this machine has no place for one in the memory that its thread shares.
 */
const AT_ONCE = {
  activity: { parentsAtOnce: 4, filesAtOnce: 12 },
  recording: { parentsAtOnce: 2, filesAtOnce: 2 },
} as const
