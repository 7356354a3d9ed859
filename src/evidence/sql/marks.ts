import type { Transaction } from '../../warehouse/connect.ts'
import type { CheckpointRow } from './checkpoints.ts'

/** A third party's mark on a checkpoint, as the database stores it. */
export interface MarkRow extends Pick<CheckpointRow, 'origin' | 'size'> {
  kind: 'stamp' | 'lock' | 'cosignature'
  /** The address of the time-stamp service, the locked object, or the verifier key of the witness. */
  who: string
  /** The service's response, a lock's text (`lockedAnchorText`), or a cosignature's line in the note. */
  body: Buffer
  /** The certificates of a time stamp in PEM. */
  chain: string | null
}

/** A mark with the note of its checkpoint; the note is null if the checkpoint is missing. */
export interface Mark extends MarkRow {
  note: string | null
}

export async function readMarks(
  tx: Transaction,
  account: string,
  { from = 0 } = {},
): Promise<Mark[]> {
  return await tx
    .selectFrom('callsheet.marks as m')
    .leftJoin('callsheet.checkpoints as c', (join) =>
      join
        .onRef('c.account', '=', 'm.account')
        .onRef('c.origin', '=', 'm.origin')
        .onRef('c.size', '=', 'm.size'),
    )
    .select(['m.origin', 'm.size', 'm.kind', 'm.who', 'm.body', 'm.chain', 'c.note'])
    .where('m.account', '=', account)
    .where('m.size', '>=', from)
    .orderBy('m.size')
    .orderBy('m.origin')
    .orderBy('m.kind')
    .orderBy('m.who')
    .execute()
}

/** Stores a mark. A checkpoint keeps its first stamp and lock, and the first cosignature of each witness. */
export async function insertMark(tx: Transaction, account: string, row: MarkRow): Promise<void> {
  await tx
    .insertInto('callsheet.marks')
    .values({ account, ...row })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
