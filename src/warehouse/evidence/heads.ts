import { sql } from 'kysely'
import type { Transaction } from '../connection/connect.ts'

/** A signed head as it lies in the database. */
export interface HeadRow {
  number: number
  first_seq: number
  last_seq: number
  line: string
  hash: Buffer
  signature: Buffer
  public_key: Buffer
}

export interface AnchorRow {
  number: number
  kind: 'rfc3161' | 'locked_object'
  place: string
  /** The answer of the time-stamp service, or where and until when a bucket locks the head, as text. */
  token: Buffer | null
}

export async function readHeads(tx: Transaction, account: string): Promise<HeadRow[]> {
  const { rows } = await sql<HeadRow>`
    select number, first_seq, last_seq, line, hash, signature, public_key from callsheet.heads
    where account = ${account} order by number`.execute(tx)
  return rows
}

/** The heads from a number on. */
export async function headsFrom(
  tx: Transaction,
  account: string,
  from: number,
): Promise<HeadRow[]> {
  const { rows } = await sql<HeadRow>`
    select number, first_seq, last_seq, line, hash, signature, public_key from callsheet.heads
    where account = ${account} and number >= ${from} order by number`.execute(tx)
  return rows
}

export async function lastHead(tx: Transaction, account: string): Promise<HeadRow | undefined> {
  const { rows } = await sql<HeadRow>`
    select number, first_seq, last_seq, line, hash, signature, public_key from callsheet.heads
    where account = ${account} order by number desc limit 1`.execute(tx)
  return rows[0]
}

/** The accounts that have a head of this hash, in hex. */
export async function accountsWithHead(db: Transaction, hash: string): Promise<string[]> {
  const { rows } = await sql<{ account: string }>`
    select distinct account from callsheet.heads where hash = decode(${hash}, 'hex')`.execute(db)
  return rows.map(({ account }) => account)
}

/** The public keys that heads were signed with. */
export async function headKeys(tx: Transaction, account: string): Promise<Buffer[]> {
  const { rows } = await sql<{ public_key: Buffer }>`
    select distinct public_key from callsheet.heads where account = ${account}`.execute(tx)
  return rows.map(({ public_key: key }) => key)
}

export async function insertHead(
  tx: Transaction,
  account: string,
  head: HeadRow & { signed_at: string },
): Promise<void> {
  await sql`insert into callsheet.heads
      (account, number, first_seq, last_seq, line, hash, signature, public_key, signed_at)
    values (${account}, ${head.number}, ${head.first_seq}, ${head.last_seq}, ${head.line}, ${head.hash},
      ${head.signature}, ${head.public_key}, ${head.signed_at}::timestamptz)`.execute(tx)
}

export async function readAnchors(tx: Transaction, account: string): Promise<AnchorRow[]> {
  const { rows } = await sql<AnchorRow>`
    select number, kind, place, token from callsheet.anchors
    where account = ${account} order by number, kind`.execute(tx)
  return rows
}

/** Once for each head and kind; a second one is let go. */
export async function insertAnchor(
  tx: Transaction,
  account: string,
  { number, kind, place, token }: AnchorRow,
): Promise<void> {
  await sql`insert into callsheet.anchors (account, number, kind, at, place, token)
    values (${account}, ${number}, ${kind}, callsheet.clock(), ${place}, ${token})
    on conflict do nothing`.execute(tx)
}

/** The last run of each stream that ended: what a head covers. */
export async function streamStates(
  tx: Transaction,
  account: string,
  streams: readonly string[],
): Promise<{ stream: string; run: number; state: string; at: string }[]> {
  const { rows } = await sql<{ stream: string; run: number; state: string; at: string }>`
    select stream, r.id as run, r.state, r.finished_at as at
    from unnest(${[...streams]}::text[]) as stream
      cross join lateral (
        select r.* from callsheet.runs r
        where r.account = ${account} and r.finished_at is not null and exists (
          select 1 from callsheet.slices s
          where s.account = r.account and s.stream = stream and s.run_id = r.id)
        order by r.id desc limit 1) r
    order by stream collate "C"`.execute(tx)
  return rows
}
