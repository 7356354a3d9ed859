import { isRefusedAddress } from '../api/call/url-policy.ts'
import type { Client } from '../api/client.ts'
import { FAILURES_IN_A_ROW } from '../core/circuit-breaker.ts'
import { meansDeleted } from '../core/define/answer-meaning.ts'
import type { FileSource, ListedFile } from '../core/define/file-source.ts'
import {
  CallsheetError,
  PageTokenError,
  ServiceError,
  TransportError,
  UnusableValueError,
} from '../core/errors.ts'
import { runLimited } from '../core/run-limited.ts'
import type { Window } from '../core/time/spans.ts'
import { concernsOneFile } from '../store/one-file.ts'
import type { FileStore } from '../store/store.ts'
import type { Tally } from './file-breaker.ts'
import { hashingSink } from './hashing-sink.ts'
import { listFiles, ParentGone } from './list-files.ts'
import type { FileOutcome } from './sql/files.ts'
import type { PendingFile, PendingParent } from './sql/pending-files.ts'

export interface Fetching {
  client: Client
  store: FileStore
  source: FileSource
  /** True if a configured host accepts the token from the parent's list. */
  withToken: boolean
  signal: AbortSignal
  filesAtOnce: number
  /** The bytes that may still be stored. A download reserves its size first, because several run at once. */
  room: { bytes: number }
  settle(outcome: FileOutcome): Promise<void>
}

/** A parent, and the time span of its files' records. */
type ParentToFetch = Pick<PendingParent, 'session' | 'span'>

/**
 * Lists a parent and fetches its pending files concurrently. If the service rejected addresses, which may
 * have expired, lists the parent once more and tries those files again.
 */
export async function fetchParent(
  work: Fetching,
  { session: parent, span }: ParentToFetch,
  pending: readonly PendingFile[],
): Promise<Tally> {
  const wanted: Wanted = {
    parent,
    span,
    files: new Map(pending.map((file) => [file.item, file])),
    rank: new Map(pending.map(({ item }, at) => [item, at])),
    dead: new Map(),
    skipped: new Set(),
    listings: 0,
    inRow: 0,
    isProtected: false,
    tally: { stored: 0, failed: 0, last: undefined },
  }
  const { tally, dead, skipped } = wanted
  try {
    await listAndFetch(work, wanted)
    if (dead.size > 0) await listAndFetch(work, wanted)
  } catch (error) {
    if (error instanceof ParentGone) await settleGone(work, wanted, error)
    else if (!(error instanceof PageTokenError) && failureOf(error) === undefined) throw error
    else {
      fail(tally, error)
      await leaveForLater(work, wanted, reasonOf(error))
    }
    return tally
  }
  for (const item of dead.keys()) await settleDead(work, wanted, item)
  // Files that were skipped after repeated failures stay unchanged.
  for (const item of skipped) wanted.files.delete(item)
  await leaveForLater(work, wanted, NOT_LISTED)
  return tally
}

interface Wanted {
  parent: string
  span: Window | undefined
  /** Files without an outcome yet. */
  files: Map<string, PendingFile>
  /** The order of the files: those tried least come first. */
  rank: ReadonlyMap<string, number>
  /** Files whose address the service rejected, with its answer and the listing that gave the address. */
  dead: Map<string, { error: ServiceError; listing: number }>
  skipped: Set<string>
  listings: number
  /** Consecutive failures in this listing. */
  inRow: number
  /** True once a file required the password form. Later downloads of this parent use the form at once. */
  isProtected: boolean
  tally: Tally
}

/** Reads a listing until no wanted file is left. A failed page token starts the listing again. */
async function listAndFetch(work: Fetching, wanted: Wanted): Promise<void> {
  const { client, source, signal, withToken } = work
  const { parent, span, dead, rank } = wanted
  wanted.listings++
  wanted.inRow = 0
  wanted.skipped.clear()
  const turnOf = ({ item }: ListedFile): number =>
    (rank.get(item) ?? 0) + (dead.has(item) ? rank.size : 0)
  for (let tries = 1; ; tries++) {
    const asked = new Set<string>()
    try {
      for await (const listed of listFiles(client, source, { parent, span, withToken, signal })) {
        const due = listed.filter(({ item }) => wanted.files.has(item) && !asked.has(item))
        for (const { item } of due) asked.add(item)
        const inTurn = due.toSorted((a, b) => turnOf(a) - turnOf(b))
        await runLimited(inTurn, work.filesAtOnce, (file) => fetchFile(work, wanted, file))
        if (wanted.files.size === 0) return
      }
      return
    } catch (error) {
      if (!(error instanceof PageTokenError) || tries === MOST_LISTINGS) throw error
    }
  }
}

async function fetchFile(work: Fetching, wanted: Wanted, listed: ListedFile): Promise<void> {
  const { parent, tally } = wanted
  const { item, url, bytes } = listed
  const settle = async (outcome: Omit<FileOutcome, 'parent' | 'item'>): Promise<void> => {
    wanted.files.delete(item)
    wanted.dead.delete(item)
    await work.settle({ parent, item, ...outcome })
  }
  if (url === undefined) return await settle({ state: 'missing', reason: NO_FILE })
  if (wanted.inRow >= FAILURES_IN_A_ROW) return void wanted.skipped.add(item)
  const { room } = work
  const aside = bytes ?? UNKNOWN_BYTES
  if (aside > room.bytes) return await settle({ state: 'pending', reason: NO_ROOM })
  room.bytes -= aside
  let took = 0
  try {
    const stored = await download(work, wanted, { ...listed, url })
    took = stored.size
    tally.stored++
    wanted.inRow = 0
    await settle({ state: 'stored', stored })
  } catch (error) {
    const ofThisAlone = await concernsOneFile(error, work.store)
    const failure = ofThisAlone ? 'later' : failureOf(error)
    if (failure === undefined) throw error
    wanted.inRow++
    if (failure === 'dead') {
      const dead = { error: error as ServiceError, listing: wanted.listings }
      return void wanted.dead.set(item, dead)
    }
    fail(tally, error)
    await settle({ state: 'pending', reason: reasonOf(error) })
  } finally {
    room.bytes += aside - took
  }
}

async function download(work: Fetching, wanted: Wanted, listed: ListedFile & { url: string }) {
  const { source, client, store, signal } = work
  const { url, bytes, kind, downloadToken } = listed
  const { isProtected: known } = wanted
  const was = wanted.files.get(listed.item)?.sha256
  const receive = async () => hashingSink(await store.receive(), was)
  const file = { url, bytes, kind, downloadToken, isProtected: known, signal, receive }
  const { sink, isProtected } = await client.download(source.download, file)
  wanted.isProtected ||= isProtected
  return await sink.keep()
}

/**
 * Settles a file with a rejected address. A rejection counts as deletion only for an address from the last
 * listing.
 */
async function settleDead(work: Fetching, wanted: Wanted, item: string): Promise<void> {
  const { parent, files, dead, skipped, listings, tally } = wanted
  const found = dead.get(item)
  if (found === undefined) return
  const { error, listing } = found
  files.delete(item)
  skipped.delete(item)
  fail(tally, error)
  // Only the documented "no longer there" answer counts as deletion.
  const saysSo = listing === listings && meansDeleted(work.source.download, error)
  const outcome = { parent, item, state: 'pending', reason: reasonOf(error) } as const
  await work.settle({ ...outcome, absent: saysSo })
}

/** Settles the remaining files after the list call reported the parent as deleted. */
async function settleGone(work: Fetching, { parent, files, tally }: Wanted, deleted: ParentGone) {
  fail(tally, deleted)
  for (const item of files.keys())
    await work.settle({ parent, item, state: 'pending', reason: deleted.came, absent: true })
}

async function leaveForLater(work: Fetching, { parent, files }: Wanted, reason: string) {
  for (const { item } of files.values())
    await work.settle({ parent, item, state: 'pending', reason })
}

function fail(tally: Tally, error: unknown): void {
  tally.failed++
  tally.last = error
}

/**
 * Classifies the error of a listing or a download. `dead`: another listing may give a working address.
 * `later`: the next run tries again. Undefined: the error ends the work.
 */
function failureOf(error: unknown): 'dead' | 'later' | undefined {
  if (isRefusedAddress(error)) return 'later'
  if (error instanceof TransportError || error instanceof UnusableValueError) return 'later'
  if (!(error instanceof ServiceError)) return undefined
  if (error.retry.kind !== 'never') return 'later'
  // After a 401, the work ends: the token works for other calls, so the app may not fetch any file.
  return error.status === 401 ? undefined : 'dead'
}

/** Returns the reason and the remedy in a few words. It contains no address, because addresses are signed. */
function reasonOf(error: unknown): string {
  if (!(error instanceof CallsheetError)) return (error as Error).name
  const { came, todo } = error.facts
  return todo === undefined ? came : `${came}; ${todo}`
}

/** The maximum tries of a listing. Page tokens last 15 minutes; the files of one page may take longer. */
const MOST_LISTINGS = 4
/** The assumed size of a file of unknown length, such as captions and timelines, which are small. */
const UNKNOWN_BYTES = 2 ** 20
const NO_FILE = 'the service offers no file for it'
const NOT_LISTED = 'the service did not list the file'
export const NO_ROOM = 'the stored recordings have reached archive.recordingsBytes'
