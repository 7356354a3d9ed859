import type { Client } from '../../api/client.ts'
import type { FileStore } from '../../archive/store.ts'
import type { Clock } from '../../core/clock.ts'
import { PageTokenError, type ServiceError } from '../../core/errors.ts'
import type { FileSource, ListedFile } from '../../core/file-source.ts'
import type { FileOutcome } from '../../warehouse/files.ts'
import type { Span } from '../../core/stream.ts'
import type { PendingFile, PendingParent } from '../../warehouse/pending-files.ts'
import type { Breaker } from '../breaker.ts'
import { runLimited } from '../run-limited.ts'
import { failureOf, finalState, reasonOf } from './file-fate.ts'
import { hashingSink } from './hashing-sink.ts'
import { listFiles, ParentGone } from './list-files.ts'
import type { Room } from './room.ts'

export interface Fetching {
  client: Client
  clock: Clock
  store: FileStore
  source: FileSource
  signal: AbortSignal
  breaker: Breaker
  filesAtOnce: number
  room: Room
  settle(outcome: FileOutcome): Promise<void>
}

/** A parent, and between which instants its files' records lie. */
type ParentToFetch = Pick<PendingParent, 'session' | 'span'>

/**
 * Lists a parent anew and fetches its pending files side by side. Where addresses have died meanwhile it is
 * listed once more, and that is the last word.
 */
export async function fetchParent(
  work: Fetching,
  { session: parent, span }: ParentToFetch,
  pending: readonly PendingFile[],
): Promise<void> {
  const wanted: Wanted = {
    parent,
    span,
    files: new Map(pending.map((file) => [file.item, file])),
    dead: new Map(),
    isProtected: false,
  }
  try {
    await listAndFetch(work, wanted)
    if (wanted.dead.size > 0) await listAndFetch(work, wanted)
  } catch (error) {
    if (error instanceof ParentGone) return await settleGone(work, wanted, error)
    if (!(error instanceof PageTokenError) && failureOf(error) === undefined) throw error
    work.breaker.note(error)
    return await leaveForLater(work, wanted, reasonOf(error))
  }
  for (const [item, error] of wanted.dead) {
    const expiresAtMs = wanted.files.get(item)?.expiresAtMs
    wanted.files.delete(item)
    await work.settle({
      parent,
      item,
      ...finalState(error, { expiresAtMs, nowMs: work.clock.now() }),
    })
  }
  await leaveForLater(work, wanted, 'the service did not list it')
}

interface Wanted {
  parent: string
  span: Span | undefined
  /** What is not settled yet. */
  files: Map<string, PendingFile>
  /** Of these the ones whose address the service no longer takes, and what it said. */
  dead: Map<string, ServiceError>
  /** One of them was given for the token in the query alone: a password protects them all. */
  isProtected: boolean
}

/** One listing from its first page to its last; a page token that fails begins it again. */
async function listAndFetch(work: Fetching, wanted: Wanted): Promise<void> {
  const { client, source, signal } = work
  const { parent, span } = wanted
  for (let tries = 1; ; tries++) {
    const asked = new Set<string>()
    try {
      for await (const listed of listFiles(client, source, { parent, span, signal })) {
        const due = listed.filter(({ item }) => wanted.files.has(item) && !asked.has(item))
        for (const { item } of due) asked.add(item)
        await runLimited(due, work.filesAtOnce, (file) => fetchFile(work, wanted, file))
        if (wanted.files.size === 0) return
      }
      return
    } catch (error) {
      if (!(error instanceof PageTokenError) || tries === MOST_LISTINGS) throw error
    }
  }
}

async function fetchFile(work: Fetching, wanted: Wanted, listed: ListedFile): Promise<void> {
  const { parent } = wanted
  const { item, url, bytes } = listed
  const settle = async (outcome: Omit<FileOutcome, 'parent' | 'item'>): Promise<void> => {
    wanted.files.delete(item)
    wanted.dead.delete(item)
    await work.settle({ parent, item, ...outcome })
  }
  if (url === undefined) return await settle({ state: 'missing', reason: NO_FILE })
  const { source, client, store, signal, breaker, room } = work
  const place = room.take(bytes ?? UNKNOWN_BYTES)
  if (place === undefined) return await settle({ state: 'pending', reason: NO_ROOM })
  let took = 0
  try {
    const receive = async () => hashingSink(await store.receive())
    const file = { url, bytes, isProtected: wanted.isProtected, signal, receive }
    const { sink, isProtected } = await client.download(source.download, file)
    wanted.isProtected ||= isProtected
    const stored = await sink.keep()
    took = stored.size
    breaker.note(undefined)
    await settle({ state: 'stored', stored })
  } catch (error) {
    const failure = failureOf(error)
    const reason = reasonOf(error)
    if (failure === undefined) throw error
    if (failure === 'refused') return await settle({ state: 'refused', reason, incident: true })
    if (failure === 'dead') return void wanted.dead.set(item, error as ServiceError)
    breaker.note(error)
    await settle({ state: 'pending', reason })
  } finally {
    place.settle(took)
  }
}

async function settleGone(work: Fetching, { parent, files }: Wanted, gone: ParentGone) {
  const nowMs = work.clock.now()
  for (const { item, expiresAtMs } of files.values()) {
    const late = expiresAtMs !== undefined && expiresAtMs <= nowMs
    const state = late ? 'expired' : 'missing'
    await work.settle({ parent, item, state, reason: gone.came, incident: true })
  }
}

async function leaveForLater(work: Fetching, { parent, files }: Wanted, reason: string) {
  for (const { item } of files.values())
    await work.settle({ parent, item, state: 'pending', reason })
}

/** A page token lives a quarter of an hour, and a small quota may take longer for one page's files. */
const MOST_LISTINGS = 4
/** Captions and time lines come without a length, and are small. */
const UNKNOWN_BYTES = 2 ** 20
const NO_FILE = 'the service offers no file for it'
export const NO_ROOM = 'the stored recordings have reached archive.recordingsBytes'
