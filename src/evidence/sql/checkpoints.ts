import { sql } from 'kysely'
import type { Transaction } from '../../warehouse/connect.ts'

export interface CheckpointRow {
  /** The name of the log. It changes when the log continues after lost checkpoints. */
  origin: string
  size: number
  note: string
  /** The public key that signed the note, in DER. */
  key: Buffer
  /** The time recorded in the last entry. */
  at: string
  /** The first run whose audited records may lack entries. */
  mark: number
}

/** The checkpoints over at least `from` entries, in signing order. */
export async function readCheckpoints(
  tx: Transaction,
  account: string,
  { from = 0 } = {},
): Promise<CheckpointRow[]> {
  return await checkpointsOf(tx, account)
    .where('size', '>=', from)
    .orderBy('size')
    .orderBy(sql`length(origin)`)
    .execute()
}

/** The newest checkpoint; with `key`, the newest one that this key signed. */
export async function lastCheckpoint(
  tx: Transaction,
  account: string,
  key?: Buffer,
): Promise<CheckpointRow | undefined> {
  return await checkpointsOf(tx, account)
    .$if(key !== undefined, (query) => query.where('key', '=', key ?? Buffer.alloc(0)))
    .orderBy('size', 'desc')
    .orderBy(sql`length(origin)`, 'desc')
    .limit(1)
    .executeTakeFirst()
}

function checkpointsOf(tx: Transaction, account: string) {
  return tx
    .selectFrom('callsheet.checkpoints')
    .select(['origin', 'size', 'note', 'key', 'at', 'mark'])
    .where('account', '=', account)
}

/** The accounts that have a checkpoint of this state. */
export async function accountsWithState(
  db: Transaction,
  { size, root }: { size: number; root: Buffer },
): Promise<string[]> {
  const state = `\n${size}\n${root.toString('base64')}\n`
  const rows = await db
    .selectFrom('callsheet.checkpoints')
    .select('account')
    .distinct()
    .where('size', '=', size)
    .where(sql<boolean>`position(${state} in note) > 0`)
    .execute()
  return rows.map(({ account }) => account)
}

/** The public keys that checkpoints were signed with. */
export async function checkpointKeys(tx: Transaction, account: string): Promise<Buffer[]> {
  const rows = await tx
    .selectFrom('callsheet.checkpoints')
    .select('key')
    .distinct()
    .where('account', '=', account)
    .execute()
  return rows.map(({ key }) => key)
}

/** The mark of a checkpoint over all present records: the first open run, or the last run if none is open. */
export async function nextMark(tx: Transaction, account: string): Promise<number> {
  const { open, last } = await tx
    .selectFrom('callsheet.runs')
    .select(({ fn }) => [
      fn.min('id').filterWhere('state', '=', 'running').as('open'),
      fn.max('id').as('last'),
    ])
    .where('account', '=', account)
    .executeTakeFirstOrThrow()
  return open ?? last ?? 0
}

export async function insertCheckpoint(
  tx: Transaction,
  account: string,
  row: CheckpointRow,
): Promise<void> {
  await tx
    .insertInto('callsheet.checkpoints')
    .values({ account, ...row })
    .execute()
}
