import { CallsheetError } from '../core/errors.ts'
import { point } from '../core/kill-point.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { isCheckpointOf, originOf, readCheckpoint, signCheckpoint } from './log/checkpoint.ts'
import { readEntry } from './log/entry.ts'
import type { EvidenceAccess } from './log/evidence-access.ts'
import { HASH_BYTES } from './log/merkle.ts'
import { readPublicKey } from './log/signing-key.ts'
import { edgeTiles, TreeEdge } from './log/tree-edge.ts'
import type { Appending } from './sql/appending.ts'
import { type CheckpointRow, insertCheckpoint, lastCheckpoint } from './sql/checkpoints.ts'
import {
  countEntries,
  databaseTime,
  lastEntry,
  leavesBySeq,
  linesAt,
  type ManifestRow,
} from './sql/manifest.ts'
import { insertTileParts, readTiles, tilesAfter } from './sql/tree-tiles.ts'
import { unexplainedEntries, wordKeys } from './unexplained.ts'

export interface SignedLog {
  /** The checkpoint signed now; undefined if there was nothing to sign. */
  signed?: CheckpointRow
  newest: CheckpointRow | undefined
  /** The number of entries signed now, by kind. */
  entries: Record<string, number>
  /** Unexplained entries. These entries and all later ones stay unsigned. */
  unexplained: readonly ManifestRow[]
  /** Why nothing can be signed. */
  problem?: string
}

export interface SigningLog extends Pick<EvidenceAccess, 'key' | 'previousKeys'> {
  account: string
  /** The first run whose records may lack entries; by default, the mark of the previous checkpoint. */
  mark?: number
}

/**
 * Signs a checkpoint of the tree over all entries before the first unexplained one. Reads and signs one
 * snapshot: entries that others add in the meantime wait for the next call.
 */
export async function signLog(appending: Appending, mark: number): Promise<SignedLog> {
  appending.signal.throwIfAborted()
  await point('evidence:signing')
  const done = await appending.inTransaction((tx) => signNext(tx, { ...appending, mark }), {
    steady: true,
  })
  await point('evidence:signed')
  return done
}

/**
 * Signs a checkpoint in the caller's transaction. With a new name of the log (`renamed`), does so even
 * without new entries.
 */
export async function signNext(
  tx: Transaction,
  signing: SigningLog,
  renamed?: string,
): Promise<SignedLog> {
  const { account, key, previousKeys } = signing
  const newest = await lastCheckpoint(tx, account)
  const after = newest?.size ?? 0
  const keys = wordKeys(key.publicKey, previousKeys, newest)
  const unexplained = await unexplainedEntries(tx, account, { after, keys })
  const end = await lastEntry(tx, account)
  const explained = (unexplained[0]?.seq ?? Number.POSITIVE_INFINITY) - 1
  const size = Math.max(after, Math.min(end?.seq ?? 0, explained))
  if (size === after && renamed === undefined) return { newest, entries: {}, unexplained }
  const edge = await edgeOf(tx, signing, newest)
  const entries = await countEntries(tx, account, { from: after + 1, to: size })
  const there = Object.values(entries).reduce((sum, count) => sum + count, 0)
  if (there < size - after) {
    const problem =
      `no checkpoint was signed, because entries are missing (of ${after + 1} to ${size}, only ${there} ` +
      'exist): run callsheet verify to see which'
    return { newest, entries: {}, unexplained, problem }
  }
  await grow(tx, account, { edge, size })
  const origin = renamed ?? newest?.origin ?? originOf(account)
  const note = signCheckpoint(key, { origin, size, root: edge.root() })
  const at = await timeOf(tx, account, size)
  const mark = signing.mark ?? newest?.mark ?? 0
  const signed = { origin, size, note, key: key.publicKey.der, at, mark }
  await insertCheckpoint(tx, account, signed)
  return { signed, newest: signed, entries, unexplained }
}

/** Adds the leaves up to a size in pieces, so that the database need not sort all of them at once. */
async function grow(
  tx: Transaction,
  account: string,
  { edge, size }: { edge: TreeEdge; size: number },
): Promise<void> {
  while (edge.size < size) {
    const from = edge.size + 1
    const to = Math.min(size, edge.size + LEAVES_AT_ONCE)
    for await (const { leaves } of leavesBySeq(tx, account, { from, to }))
      for (let at = 0; at < leaves.length; at += HASH_BYTES)
        edge.add(leaves.subarray(at, at + HASH_BYTES))
    await insertTileParts(tx, account, edge.take({ whole: to < size }))
  }
}

async function timeOf(tx: Transaction, account: string, seq: number): Promise<string> {
  const [last] = await linesAt(tx, account, [seq])
  return readEntry(last?.line ?? '')?.at ?? (await databaseTime(tx))
}

/**
 * The tree of the newest checkpoint, restored from the right edge of its tiles. A new checkpoint claims to
 * continue all earlier ones, so this throws if no known key signed the newest or the tiles do not match it.
 */
async function edgeOf(
  tx: Transaction,
  signing: SigningLog,
  newest: CheckpointRow | undefined,
): Promise<TreeEdge> {
  const { account } = signing
  const size = newest?.size ?? 0
  const places = edgeTiles(size)
  const [beyond] = await tilesAfter(tx, account, places)
  const tiles = await readTiles(tx, account, places)
  const byLevel = new Map(tiles.map(({ level, hashes }) => [level, hashes ?? undefined]))
  const edge = TreeEdge.at(size, ({ level }) => byLevel.get(level))
  if (edge === undefined || beyond !== undefined)
    throw wrongTree(signing, { size, came: 'the stored tree has another size' })
  if (newest === undefined) return edge
  const found = readCheckpoint(newest.note)
  const key = readPublicKey(newest.key)
  const ours = [signing.key.publicKey.fingerprint, ...signing.previousKeys]
  const own = key !== undefined && ours.includes(key.fingerprint)
  if (found === undefined || !own || !isCheckpointOf(found, key))
    throw wrongTree(signing, {
      size,
      came: 'the newest checkpoint is unreadable, or was not signed with a known key',
    })
  if (found.origin !== newest.origin || found.size !== size)
    throw wrongTree(signing, {
      size,
      came: `the newest checkpoint is of ${found.origin} over ${found.size} entries`,
    })
  if (!found.root.equals(edge.root()))
    throw wrongTree(signing, { size, came: 'the stored tree differs from the newest checkpoint' })
  return edge
}

function wrongTree(
  { account }: SigningLog,
  { size, came }: { size: number; came: string },
): CallsheetError {
  return new CallsheetError('evidence_tree_wrong', {
    tried: `Continuing the log of account ${account}`,
    expected:
      size === 0
        ? 'an empty tree, because nothing was signed yet'
        : `the tree over ${size} entries that the newest checkpoint signs`,
    came,
    todo: 'run callsheet verify to see what differs; nothing is signed until this is fixed',
  })
}

/** The number of leaves per piece, which bounds the memory: a megabyte of hashes. */
const LEAVES_AT_ONCE = 2 ** 15
