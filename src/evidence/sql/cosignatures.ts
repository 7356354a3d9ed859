import type { Transaction } from '../../warehouse/connect.ts'

/** What a witness says of a head's checkpoint, as the database stores it. */
export interface CosignatureRow {
  number: number
  /** Its verifier key. */
  witness: string
  cosigned_at: string
  /** A line of a signed note, with the newline at its end. */
  line: string
}

/** Those of the heads from a number on. */
export async function readCosignatures(
  tx: Transaction,
  account: string,
  from = 0,
): Promise<CosignatureRow[]> {
  return await tx
    .selectFrom('callsheet.cosignatures')
    .select(['number', 'witness', 'cosigned_at', 'line'])
    .where('account', '=', account)
    .where('number', '>=', from)
    .orderBy('number')
    .orderBy('witness')
    .execute()
}

/** Of each witness the newest head that it cosigned, with the head's checkpoint. */
export async function lastCosigned(
  tx: Transaction,
  account: string,
): Promise<{ witness: string; checkpoint: string | null }[]> {
  return await tx
    .selectFrom('callsheet.cosignatures as c')
    .innerJoin('callsheet.heads as h', (join) =>
      join.onRef('h.account', '=', 'c.account').onRef('h.number', '=', 'c.number'),
    )
    .distinctOn('c.witness')
    .select(['c.witness', 'h.checkpoint'])
    .where('c.account', '=', account)
    .orderBy('c.witness')
    .orderBy('c.number', 'desc')
    .execute()
}

/** Stores one of each witness for a head; a second one is ignored. */
export async function insertCosignature(
  tx: Transaction,
  account: string,
  row: CosignatureRow,
): Promise<void> {
  await tx
    .insertInto('callsheet.cosignatures')
    .values({ account, ...row })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
