import { CallsheetError } from '../core/errors.ts'
import type { Transaction } from '../warehouse/connect.ts'
import {
  isCheckpointOf,
  type LogPlace,
  originOf,
  readCheckpoint,
  signCheckpoint,
} from './log/checkpoint.ts'
import { HASH_BYTES } from './log/merkle.ts'
import { readPublicKey } from './log/signing-key.ts'
import { edgeTiles, TreeEdge } from './log/tree-edge.ts'
import type { Appending } from './sql/appending.ts'
import { type HeadRow, lastCheckpoint } from './sql/heads.ts'
import { countEntries, leavesBySeq } from './sql/manifest.ts'
import { insertTileParts, readTiles, tilesAfter } from './sql/tree-tiles.ts'

/** The tree over all entries of the account, while those of a head are added to it. */
export interface OpenTree {
  /** Adds the hashes of the next leaves, one after the other. */
  add(leaves: Buffer): Promise<void>
  /** Keeps the rest of its hashes, and answers its checkpoint. */
  sign(): Promise<string>
}

/**
 * Opens the tree that the newest checkpoint was signed over, by the right edge of its tiles, and adds the
 * entries before `first` that it lacks: all of them where there is no checkpoint yet. Throws where the tiles
 * are not those of that checkpoint. There is no tree while an entry up to `to` is missing; `there`: how many
 * there are from `first` on.
 */
export async function openTree(
  tx: Transaction,
  appending: Appending,
  { first, to, there, place }: { first: number; to: number; there: number; place: LogPlace },
): Promise<{ tree?: OpenTree; problem?: string }> {
  const { account } = appending
  const before = await lastCheckpoint(tx, account)
  const origin = before && originOf(account, { ...place, number: before.number })
  const edge = await edgeOf(tx, appending, before && { ...before, origin })
  const older = { from: edge.size + 1, to: first - 1 }
  const counted = there + (await countOf(tx, account, older))
  if (counted < to - edge.size)
    return {
      problem:
        `no checkpoint is signed, because entries are missing (of ${older.from} to ${to} there are ` +
        `${counted}): callsheet verify names them`,
    }
  const tree = treeOn(tx, { ...appending, origin: originOf(account, place) }, edge)
  // In pieces, as the database sorts what it answers: it may be all entries, once a hole in them is mended.
  const piece = appending.batchEntries * BATCHES_AT_ONCE
  for (let from = older.from; from <= older.to; from += piece) {
    const end = Math.min(older.to, from + piece - 1)
    for await (const { leaves } of leavesBySeq(tx, account, { from, to: end }))
      await tree.add(leaves)
  }
  return { tree }
}

export function totalOf(kinds: Readonly<Record<string, number>>): number {
  return Object.values(kinds).reduce((sum, count) => sum + count, 0)
}

async function countOf(
  tx: Transaction,
  account: string,
  range: { from: number; to: number },
): Promise<number> {
  return range.to < range.from ? 0 : totalOf((await countEntries(tx, account, range)).kinds)
}

function treeOn(
  tx: Transaction,
  { account, key, origin }: Appending & { origin: string },
  edge: TreeEdge,
): OpenTree {
  let kept = edge.size
  return {
    async add(leaves) {
      for (let at = 0; at < leaves.length; at += HASH_BYTES)
        edge.add(leaves.subarray(at, at + HASH_BYTES))
      if (edge.size - kept < LEAVES_AT_ONCE) return
      kept = edge.size
      await insertTileParts(tx, account, edge.take({ whole: true }))
    },
    async sign() {
      await insertTileParts(tx, account, edge.take())
      return signCheckpoint(key, { origin, size: edge.size, root: edge.root() })
    },
  }
}

/** Whoever signs a checkpoint says that all signed before are the beginning of it. */
async function edgeOf(
  tx: Transaction,
  appending: Appending,
  before: (HeadRow & { checkpoint: string; origin: string | undefined }) | undefined,
): Promise<TreeEdge> {
  const { account } = appending
  const size = before?.last_seq ?? 0
  const places = edgeTiles(size)
  const [beyond] = await tilesAfter(tx, account, places)
  const tiles = await readTiles(tx, account, places)
  const byLevel = new Map(tiles.map(({ level, hashes }) => [level, hashes ?? undefined]))
  const edge = TreeEdge.at(size, ({ level }) => byLevel.get(level))
  if (edge === undefined || beyond !== undefined)
    throw wrongTree(appending, { size, came: 'tiles of a tree of another size' })
  if (before === undefined) return edge
  const found = readCheckpoint(before.checkpoint)
  const key = readPublicKey(before.public_key)
  const ours = [appending.key.publicKey.fingerprint, ...appending.previousKeys]
  const own = key !== undefined && ours.includes(key.fingerprint)
  if (found === undefined || !own || !isCheckpointOf(found, key))
    throw wrongTree(appending, { size, came: 'a checkpoint that none of our keys signed' })
  if (found.origin !== before.origin || found.size !== size)
    throw wrongTree(appending, { size, came: `that of ${found.origin} over ${found.size} entries` })
  if (!found.root.equals(edge.root()))
    throw wrongTree(appending, { size, came: 'tiles of another tree' })
  return edge
}

function wrongTree(
  { account }: Appending,
  { size, came }: { size: number; came: string },
): CallsheetError {
  return new CallsheetError('evidence_tree_wrong', {
    tried: `Continuing the log of account ${account}`,
    expected: `the tree over ${size} entries, as the newest checkpoint signs it`,
    came,
    todo: 'run callsheet verify, which says what differs; nothing is signed until then',
  })
}

const BATCHES_AT_ONCE = 64
/** Bounds the memory: a megabyte of hashes. */
const LEAVES_AT_ONCE = 2 ** 15
