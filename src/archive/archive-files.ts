import { wantsAnyFiles } from '../config/archive-settings.ts'
import { createCircuitBreaker } from '../core/circuit-breaker.ts'
import { point } from '../core/kill-point.ts'
import { runLimited } from '../core/run-limited.ts'
import { enterStored } from '../evidence/enter-files.ts'
import type { FileStore } from '../store/store.ts'
import { inTransaction, retryDatabase } from '../warehouse/ledger/retry-database.ts'
import { admit } from './admit.ts'
import { type Alike, createAlike, fromAllOver, isHalt, timeOver, type Word } from './alike.ts'
import { wantsDownloadToken, wantsFiles } from './archive-access.ts'
import { type Committer, createCommitter } from './committer.ts'
import { type DueParents, dueParents } from './due-parents.ts'
import { type Fetching, fetchParent } from './fetch-parent.ts'
import { giveUp } from './give-up.ts'
import { allowanceOf } from './keep-back.ts'
import { lookForLost } from './look-for-lost.ts'
import { type ArchiveResult, noArchive, noteOutcome, notesOn, remarksOn } from './result.ts'
import { createRoom, type Room } from './room.ts'
import type { FileOutcome } from './sql/files.ts'
import { settleLost } from './sql/lost-files.ts'
import { countFiles, type PendingFile, pendingFiles } from './sql/pending-files.ts'
import { settleFiles } from './sql/settle-files.ts'
import type { ArchiveDeps, ArchiveOptions, ArchiveWork } from './work.ts'

/**
 * Fetches the pending files of an account, those that expire first before all others, and records what
 * became of each. No file is recorded before the store has flushed it. If something ends the work early, it
 * is in the result, with all that was done until then. Files that were not fetched stay pending for the
 * next run.
 */
export async function archiveFiles(
  deps: ArchiveDeps,
  options: ArchiveOptions,
): Promise<ArchiveResult> {
  const { archive } = deps
  const result = noArchive()
  if (archive === undefined || !wantsFiles(archive, options.source)) return result
  const { account, source, runId } = options
  const scope = { account, kind: source.kind, runId }
  const work: ArchiveWork = { ...deps, ...options, archive, result, scope }
  try {
    await admit(work)
    // Before other work no file is given up: its parent's last day may have moved, and is not read yet.
    const first = options.beforeOthers === true
    if (!first) {
      await giveUp(work, { deleted: options.retry !== true })
      await lookForLost(work)
    }
    const due = await dueParents(work)
    result.scarce = due.scarce
    if (due.turns.length > 0) await fetchAll(work, due)
    // Files that became too late during this run, and those that a retry did not get.
    if (!first) await giveUp(work, { deleted: true })
  } catch (error) {
    if (!options.signal.aborted && isHalt(error)) result.problems.push(`files: ${error.message}`)
    else result.error = options.signal.aborted ? options.signal.reason : error
  }
  try {
    const counts = await retryDatabase(deps, () => countFiles(deps.warehouse.db, work))
    result.counts.pending = counts.pending
    result.withheld = counts.withheld
  } catch (error) {
    result.error ??= error
  }
  result.problems.push(...remarksOn(result))
  result.notes.push(...notesOn(result))
  return result
}

/** However the work ends, what was stored by then is recorded, and the rest stays pending. */
async function fetchAll(work: ArchiveWork, due: DueParents): Promise<void> {
  const { clock, archive } = work
  const limit = new AbortController()
  const { runMinutes } = archive.settings
  const cancel = clock.alarm(runMinutes * 60_000, () => limit.abort(timeOver(runMinutes)))
  const signal = AbortSignal.any([work.signal, limit.signal])
  const alike = createAlike()
  const said: { outcome: FileOutcome; word: Word }[] = []
  const committer = committerOf(work, await archive.store())
  try {
    const settle: Fetching['settle'] = async (outcome, word = 'file') => {
      if (outcome.absent === true) said.push({ outcome, word })
      else await committer.add(outcome)
    }
    await fetchTurns({ ...work, signal }, due, { alike, settle })
    // If nothing else came, a proxy or an outage may have answered in the service's words.
    for (const { outcome, word } of said)
      await committer.add({ ...outcome, absent: !alike.nothingElse(word) })
  } catch (error) {
    // What is stored by now is recorded, whatever ended the work; that is the error to report.
    for (const { outcome } of said)
      await committer.add({ ...outcome, absent: false }).catch(() => {})
    await committer.finish().catch(() => {})
    throw error
  } finally {
    cancel()
  }
  await committer.finish()
}

function committerOf(work: ArchiveWork, store: FileStore): Committer {
  const { account, clock, scope } = work
  const entered = leavesEntries(work)
  return createCommitter(clock, async (group) => {
    await store.flush()
    await point('files:entering')
    const { writtenOff } = await inTransaction(work, async (tx) => {
      const settled = await settleFiles(tx, scope, { outcomes: group, entered })
      if (entered) await enterStored(tx, account, settled.stored)
      const deleted = await settleLost(tx, scope, group)
      return { writtenOff: [...settled.writtenOff, ...deleted] }
    })
    await point('files:entered')
    const off = new Set(writtenOff.map(({ parent, item }) => JSON.stringify([parent, item])))
    for (const outcome of group) {
      const { parent, item } = outcome
      const isOff = off.size > 0 && off.has(JSON.stringify([parent, item]))
      noteOutcome(work.result, isOff ? { ...outcome, state: 'missing', incident: true } : outcome)
    }
  })
}

async function fetchTurns(
  work: ArchiveWork,
  { turns, sideBySide }: DueParents,
  { alike, settle }: { alike: Alike; settle: Fetching['settle'] },
): Promise<void> {
  const { client, clock, source, signal, archive } = work
  const breaker = createCircuitBreaker()
  const tell = progressReporter(work, turns)
  const { parentsAtOnce, filesAtOnce } = AT_ONCE[source.kind]
  const given = { client, clock, source, signal, breaker, filesAtOnce }
  const fetching: Fetching = {
    ...given,
    store: await archive.store(),
    withToken: wantsDownloadToken(archive),
    room: await roomFor(work),
    settle(outcome, word) {
      tell(outcome)
      return settle(outcome, word)
    },
  }
  const pendingOf = pendingReader(work, turns)
  const allowance = await allowanceOf(work, turns)
  const fetchTurn = async (turn: DueParents['turns'][number]): Promise<void> => {
    signal.throwIfAborted()
    const broken = breaker.tripped() ?? alike.tripped()
    if (broken !== undefined) throw broken
    const most = await allowance.take(turn)
    if (most === 0) return
    const files = await pendingOf(turn.session.session, most)
    const tally = await fetchParent(fetching, turn.session, files)
    // A deleted session that fails says nothing about the others.
    if (!turn.session.deleted) alike.note(tally)
  }
  const oneByOneFrom = allowance.oneByOne ? 0 : sideBySide
  const order = { doubtful: alike.doubtful, seed: work.runId }
  const inTurn = (from: number, to?: number) => fromAllOver(turns.slice(from, to), order)
  await runLimited(inTurn(0, oneByOneFrom), parentsAtOnce, fetchTurn)
  await runLimited(inTurn(oneByOneFrom), 1, fetchTurn)
  work.result.keptBack = allowance.keptBack()
}

function progressReporter(
  { onProgress, source }: ArchiveWork,
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

/** Reads what is pending of a parent. A parent with two turns is read once, and each takes its own part. */
function pendingReader(work: ArchiveWork, turns: DueParents['turns']) {
  const seen = new Set<string>()
  const shared = new Map<string, Promise<PendingFile[]> | undefined>()
  for (const { session } of turns)
    if (seen.has(session.session)) shared.set(session.session, undefined)
    else seen.add(session.session)
  const lost = work.leaveLost !== true
  const read = (parent: string): Promise<PendingFile[]> =>
    retryDatabase(work, () => pendingFiles(work.warehouse.db, work.scope, { parent, lost }))
  return async (parent: string, archives: number): Promise<PendingFile[]> => {
    if (!shared.has(parent)) return (await read(parent)).slice(0, archives)
    const reading = shared.get(parent) ?? read(parent)
    shared.set(parent, reading)
    const files = await reading
    return files.splice(0, archives)
  }
}

/** Whether the evidence log has entries for the files: then storing a file and its entry are one step. */
function leavesEntries({ evidence, archive }: ArchiveWork): boolean {
  return evidence !== undefined && wantsAnyFiles(archive.settings)
}

/** Recordings are large, so there is a bound to what is kept of them. */
async function roomFor(work: ArchiveWork): Promise<Room> {
  if (work.source.kind !== 'recording') return createRoom(Number.POSITIVE_INFINITY)
  const { storedBytes } = await retryDatabase(work, () => countFiles(work.warehouse.db, work))
  return createRoom(work.archive.settings.recordingsBytes - storedBytes)
}

/** The label's governor bounds what is really under way. Large files are also few at a time. */
const AT_ONCE = {
  activity: { parentsAtOnce: 4, filesAtOnce: 12 },
  recording: { parentsAtOnce: 2, filesAtOnce: 2 },
} as const
