import { point } from '../core/kill-point.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { NOTHING_BEFORE } from './log/digest.ts'
import { headHash, headLine } from './log/head.ts'
import { lostAfter } from './log/head-break.ts'
import { HASH_BYTES, MerkleRoot } from './log/merkle.ts'
import { openTree, totalOf } from './sign-tree.ts'
import type { Appending } from './sql/appending.ts'
import { type HeadRow, insertHead, lastHead, streamStates } from './sql/heads.ts'
import {
  countEntries,
  databaseTime,
  lastEntry,
  leavesBySeq,
  type ManifestRow,
} from './sql/manifest.ts'
import { trustedBreaks } from './trusted-breaks.ts'
import { unexplainedEntries, wordKeys } from './unexplained.ts'

export interface SignedHeads {
  signed: HeadRow[]
  /** The newest head of the account. */
  head: HeadRow | undefined
  /** The number of entries, by kind, in the heads signed now. */
  entries: Record<string, number>
  /** The entries that nobody explains: these and all later ones stay unsigned. */
  unexplained: readonly ManifestRow[]
  /** Why heads have no checkpoint. */
  problems: string[]
}

/**
 * Signs a head over all entries that have none, or several heads where there are very many. It stops at the
 * first unexplained entry that takes something away. Each head is signed over one snapshot that was searched
 * for such entries: what others write meanwhile is left for the next call. With each head comes a
 * checkpoint of the tree over all entries.
 */
export async function signHeads(appending: Appending): Promise<SignedHeads> {
  const signed: HeadRow[] = []
  const entries: Record<string, number> = {}
  const problems: string[] = []
  for (;;) {
    appending.signal.throwIfAborted()
    await point('evidence:signing')
    const { added, last, kinds, unexplained, problem } = await appending.inTransaction(
      (tx) => signNext(tx, appending),
      { steady: true },
    )
    await point('evidence:signed')
    if (added === undefined) return { signed, head: last, entries, unexplained, problems }
    signed.push(added)
    if (problem !== undefined) problems.push(problem)
    for (const [kind, count] of Object.entries(kinds)) entries[kind] = (entries[kind] ?? 0) + count
  }
}

interface Signed extends Pick<SignedHeads, 'unexplained'> {
  added?: HeadRow
  last: HeadRow | undefined
  kinds: Record<string, number>
  problem?: string | undefined
}

async function signNext(tx: Transaction, appending: Appending): Promise<Signed> {
  const { account, key, previousKeys } = appending
  const last = await lastHead(tx, account)
  const after = last?.last_seq ?? 0
  const keys = wordKeys(key.publicKey, previousKeys, last)
  const unexplained = await unexplainedEntries(tx, account, { after, keys })
  const mostSeq = (unexplained[0]?.seq ?? Number.POSITIVE_INFINITY) - 1
  const end = await lastEntry(tx, account)
  const first = after + 1
  if (end === undefined || Math.min(end.seq, mostSeq) < first)
    return { last, kinds: {}, unexplained }
  const to = Math.min(end.seq, mostSeq, first + MOST_ENTRIES - 1)
  const batch = new MerkleRoot()
  const { kinds, lastHash } = await countEntries(tx, account, { from: first, to })
  const breaks = await trustedBreaks(tx, account, appending)
  const number = lostAfter(breaks, known(last)) + 1
  const place = { number, breaks }
  const opening = { first, to, there: totalOf(kinds), place }
  const { tree, problem } = await openTree(tx, appending, opening)
  for await (const { leaves } of leavesBySeq(tx, account, { from: first, to })) {
    for (let at = 0; at < leaves.length; at += HASH_BYTES)
      batch.add(leaves.subarray(at, at + HASH_BYTES))
    await tree?.add(leaves)
  }
  const head = await makeHead(tx, appending, {
    before: last,
    number,
    first,
    to,
    tree: batch,
    lastHash,
  })
  const added = { ...head, checkpoint: (await tree?.sign()) ?? null }
  await insertHead(tx, account, added)
  return { added, last: added, kinds, unexplained, problem }
}

function known(last: HeadRow | undefined): { number: number; hash: string } | undefined {
  return last && { number: last.number, hash: last.hash.toString('hex') }
}

async function makeHead(
  tx: Transaction,
  appending: Appending,
  batch: {
    before: HeadRow | undefined
    number: number
    first: number
    to: number
    tree: MerkleRoot
    lastHash: Buffer
  },
): Promise<Omit<HeadRow, 'checkpoint'> & { signed_at: string }> {
  const { account, key, streams } = appending
  const { before, number, first, to } = batch
  const at = await databaseTime(tx)
  const fetched = streams.filter(({ sync }) => sync.kind !== 'nested').map(({ name }) => name)
  const line = headLine({
    v: 1,
    account,
    number,
    first,
    last: to,
    root: batch.tree.root().toString('hex'),
    last_entry: batch.lastHash.toString('hex'),
    prev_head: before?.hash.toString('hex') ?? NOTHING_BEFORE,
    at,
    key: key.publicKey.fingerprint,
    coverage: await streamStates(tx, account, fetched),
  })
  return {
    number,
    first_seq: first,
    last_seq: to,
    line,
    signed_at: at,
    hash: Buffer.from(headHash(line), 'hex'),
    signature: key.sign(line),
    public_key: key.publicKey.der,
  }
}

/** Bounds the memory for the proofs of a batch: 32 MB for its tree. */
const MOST_ENTRIES = 2 ** 19
