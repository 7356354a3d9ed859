import { wantsAnyFiles } from '../config/archive-settings.ts'
import { point } from '../core/kill-point.ts'
import { runLimited } from '../core/run-limited.ts'
import { enterStored } from '../evidence/enter-files.ts'
import type { FileStore } from '../store/store.ts'
import { inTransaction, retryDatabase } from '../warehouse/ledger/retry-database.ts'
import { type Committer, createCommitter } from './committer.ts'
import type { DueTurn } from './due-downloads.ts'
import { type Fetching, fetchParent } from './fetch-parent.ts'
import { createFileBreaker, type FileBreaker, inTurn, timeOver } from './file-breaker.ts'
import { noteOutcome } from './result.ts'
import type { FileOutcome } from './sql/files.ts'
import { countFiles, type PendingFile, pendingFiles } from './sql/pending-files.ts'
import { settleFiles } from './sql/settle-files.ts'
import type { ArchiveWork } from './work.ts'

/** Fetches files turn by turn. After an error, it still tries to record the files stored until then. */
export async function fetchFiles(work: ArchiveWork, due: readonly DueTurn[]): Promise<void> {
  const { clock, archive } = work
  const limit = new AbortController()
  const cancel = clock.alarm(MOST_MS, () => limit.abort(timeOver(MOST_MS)))
  const signal = AbortSignal.any([work.signal, limit.signal])
  const breaker = createFileBreaker()
  const said: FileOutcome[] = []
  const committer = committerOf(work, await archive.store())
  const settle = async (outcome: FileOutcome): Promise<void> => {
    if (outcome.absent === true) said.push(outcome)
    else await committer.add(outcome)
  }
  try {
    await fetchTurns({ ...work, signal }, due, { breaker, settle })
    // If no file arrived and many failed, a proxy or an outage may have caused the answers in `said`.
    for (const outcome of said)
      await committer.add(breaker.nothingCame() ? unsaid(outcome) : outcome)
  } catch (error) {
    // Tries to record the stored files. An error here must not hide the error that ended the work.
    for (const outcome of said) await committer.add(unsaid(outcome)).catch(() => {})
    await committer.finish().catch(() => {})
    throw error
  } finally {
    cancel()
  }
  await committer.finish()
}

const unsaid = (outcome: FileOutcome): FileOutcome => ({ ...outcome, absent: false })

function committerOf(work: ArchiveWork, store: FileStore): Committer {
  const { account, clock, scope, evidence, archive } = work
  // If evidence covers files, one transaction records the files and prepares their log entries.
  const entered = evidence !== undefined && wantsAnyFiles(archive.settings)
  return createCommitter(clock, async (group) => {
    await store.flush()
    await point('files:entering')
    const { writtenOff } = await inTransaction(work, async (tx) => {
      const settled = await settleFiles(tx, scope, { outcomes: group, entered })
      if (entered) await enterStored(tx, account, settled.stored)
      return settled
    })
    await point('files:entered')
    const off = new Set(writtenOff.map(({ parent, item }) => JSON.stringify([parent, item])))
    for (const outcome of group) {
      const { parent, item } = outcome
      const isOff = off.size > 0 && off.has(JSON.stringify([parent, item]))
      noteOutcome(work.result, outcome, isOff)
    }
  })
}

async function fetchTurns(
  work: ArchiveWork,
  turns: readonly DueTurn[],
  { breaker, settle }: { breaker: FileBreaker; settle: Fetching['settle'] },
): Promise<void> {
  const { client, source, signal, archive, result } = work
  const reportProgress = progressReporter(work, turns)
  const { parentsAtOnce, filesAtOnce } = AT_ONCE[source.kind]
  const fetching: Fetching = {
    client,
    source,
    signal,
    filesAtOnce,
    store: await archive.store(),
    withToken: archive.settings.hosts.some(
      (host) => typeof host !== 'string' && host.credential === 'download-token',
    ),
    room: { bytes: await roomFor(work) },
    settle(outcome) {
      reportProgress(outcome)
      return settle(outcome)
    },
  }
  const pendingOf = pendingReader(work, turns)
  const expires = source.expiresAt !== undefined
  const isScarce = async (): Promise<boolean> =>
    archive.settings.files &&
    (await retryDatabase(work, () => archive.callsAreScarce(source.download.rate)))
  const fetchTurn = async (turn: DueTurn): Promise<void> => {
    signal.throwIfAborted()
    const halted = breaker.tripped()
    if (halted !== undefined) throw halted
    // Files without an expiry leave scarce calls to files that expire.
    if (!expires && (await isScarce())) return void (result.keptBack += turn.archives)
    const files = await pendingOf(turn.session.session, turn.archives)
    const tally = await fetchParent(fetching, turn.session, files)
    // A failure of a deleted session is no sign of an outage.
    if (!turn.session.deleted) breaker.note(tally)
  }
  const { doubtful } = breaker
  const order = { doubtful, triesOf: ({ session }: DueTurn) => session.tries }
  // While calls are scarce, sessions are fetched one by one: better one complete than several in part.
  const atOnce = expires && (await isScarce()) ? 1 : parentsAtOnce
  await runLimited(inTurn(turns, order), atOnce, fetchTurn)
}

function progressReporter(
  { onProgress, source }: ArchiveWork,
  turns: readonly DueTurn[],
): (outcome: FileOutcome) => void {
  const filesPlanned = turns.reduce((sum, { archives }) => sum + archives, 0)
  let filesDone = 0
  let bytes = 0
  return ({ stored }) => {
    bytes += stored?.size ?? 0
    onProgress?.({ files: source.kind, filesDone: ++filesDone, filesPlanned, bytes })
  }
}

/**
 * Returns a function that reads a parent's pending files. A parent with two turns is read once, and each
 * turn takes its own part.
 */
function pendingReader(work: ArchiveWork, turns: readonly DueTurn[]) {
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

/** Returns how many more bytes may be stored. Only recordings have a limit, because they are large. */
async function roomFor(work: ArchiveWork): Promise<number> {
  if (work.source.kind !== 'recording') return Number.POSITIVE_INFINITY
  const { storedBytes } = await retryDatabase(work, () => countFiles(work.warehouse.db, work))
  return work.archive.settings.recordingsBytes - storedBytes
}

/** The time limit of one pass over the files of a source: half a day, to leave time for the next night. */
const MOST_MS = 12 * 3_600_000
/** How many parents, and files of each, are fetched at once. The label's governor may allow fewer. */
const AT_ONCE = {
  activity: { parentsAtOnce: 4, filesAtOnce: 12 },
  recording: { parentsAtOnce: 2, filesAtOnce: 2 },
} as const
