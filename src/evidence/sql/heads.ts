import { sql } from 'kysely'
import type { Transaction } from '../../warehouse/connect.ts'
import { now } from '../../warehouse/schema/expressions.ts'

/** A signed head as the database stores it. */
export interface HeadRow {
  number: number
  first_seq: number
  last_seq: number
  line: string
  hash: Buffer
  signature: Buffer
  public_key: Buffer
  /** The signed state of the tree over all entries up to the head's last; null where entries were missing. */
  checkpoint: string | null
}

export interface AnchorRow {
  /** Of the checkpoint. */
  size: number
  kind: 'rfc3161' | 'locked_object'
  place: string
  /** The time-stamp service's answer, or a text: where and until when a bucket locks the checkpoint. */
  token: Buffer | null
  /** The certificates of a time stamp in PEM. */
  chain: string | null
}

export async function readHeads(tx: Transaction, account: string): Promise<HeadRow[]> {
  return await headsOf(tx, account).orderBy('number').execute()
}

/** The heads from a number on. */
export async function headsFrom(
  tx: Transaction,
  account: string,
  from: number,
): Promise<HeadRow[]> {
  return await headsOf(tx, account).where('number', '>=', from).orderBy('number').execute()
}

export async function lastHead(tx: Transaction, account: string): Promise<HeadRow | undefined> {
  return await headsOf(tx, account).orderBy('number', 'desc').limit(1).executeTakeFirst()
}

/** The newest head that has a checkpoint; if a key is named, one of that key. */
export async function lastCheckpoint(
  tx: Transaction,
  account: string,
  key?: Buffer,
): Promise<(HeadRow & { checkpoint: string }) | undefined> {
  return await headsOf(tx, account)
    .where('checkpoint', 'is not', null)
    .$if(key !== undefined, (query) => query.where('public_key', '=', key ?? Buffer.alloc(0)))
    .orderBy('number', 'desc')
    .limit(1)
    .$narrowType<{ checkpoint: string }>()
    .executeTakeFirst()
}

function headsOf(tx: Transaction, account: string) {
  return tx
    .selectFrom('callsheet.heads')
    .select(['number', 'first_seq', 'last_seq', 'line', 'hash', 'signature', 'public_key'])
    .select('checkpoint')
    .where('account', '=', account)
}

/** The accounts that have a checkpoint of this state. */
export async function accountsWithState(
  db: Transaction,
  { size, root }: { size: number; root: Buffer },
): Promise<string[]> {
  const state = `\n${size}\n${root.toString('base64')}\n`
  const rows = await db
    .selectFrom('callsheet.heads')
    .select('account')
    .distinct()
    .where('last_seq', '=', size)
    .where(sql<boolean>`position(${state} in checkpoint) > 0`)
    .execute()
  return rows.map(({ account }) => account)
}

/** The public keys that heads were signed with. */
export async function headKeys(tx: Transaction, account: string): Promise<Buffer[]> {
  const rows = await tx
    .selectFrom('callsheet.heads')
    .select('public_key')
    .distinct()
    .where('account', '=', account)
    .execute()
  return rows.map(({ public_key: key }) => key)
}

export async function insertHead(
  tx: Transaction,
  account: string,
  head: HeadRow & { signed_at: string },
): Promise<void> {
  await tx
    .insertInto('callsheet.heads')
    .values({ account, ...head })
    .execute()
}

export async function readAnchors(tx: Transaction, account: string): Promise<AnchorRow[]> {
  return await tx
    .selectFrom('callsheet.anchors')
    .select(['size', 'kind', 'place', 'token', 'chain'])
    .where('account', '=', account)
    .orderBy('size')
    .orderBy('kind')
    .execute()
}

/** Stores one anchor for each checkpoint and kind; a second one is ignored. */
export async function insertAnchor(
  tx: Transaction,
  account: string,
  anchor: AnchorRow,
): Promise<void> {
  await tx
    .insertInto('callsheet.anchors')
    .values({ account, at: now, ...anchor })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** The last finished run of each stream: this is what a head covers. */
export async function streamStates(
  tx: Transaction,
  account: string,
  streams: readonly string[],
): Promise<{ stream: string; run: number; state: string; at: string }[]> {
  const wanted = sql<{ stream: string }>`unnest(${[...streams]}::text[])`
  return await tx
    .selectFrom(wanted.as<'wanted'>(sql`wanted(stream)`))
    .crossJoinLateral(({ selectFrom }) =>
      selectFrom('callsheet.runs as r')
        .select(({ ref }) => ['r.id as run', 'r.state', ref('r.finished_at').$notNull().as('at')])
        .where('r.account', '=', account)
        .where('r.finished_at', 'is not', null)
        .where(({ exists, selectFrom: from }) => {
          const slices = from('callsheet.slices as s')
            .select('s.run_id')
            .whereRef('s.account', '=', 'r.account')
            .whereRef('s.stream', '=', 'wanted.stream')
            .whereRef('s.run_id', '=', 'r.id')
          return exists(slices)
        })
        .orderBy('r.id', 'desc')
        .limit(1)
        .as('last'),
    )
    .select(['wanted.stream', 'last.run', 'last.state', 'last.at'])
    .orderBy('wanted.stream', (order) => order.collate('C'))
    .execute()
}
