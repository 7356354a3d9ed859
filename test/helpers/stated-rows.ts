import { sql } from 'kysely'
import { stateDecision, writtenBatch } from '../../src/evidence/enter-rows.ts'
import type { SigningKey } from '../../src/evidence/log/signing-key.ts'
import type { Transaction, Warehouse } from '../../src/warehouse/connect.ts'

/** Writes rows as the program does: with their log entries in one transaction, once the log exists. */
export async function statingRows(
  { warehouse, key, account }: { warehouse: Warehouse; key: SigningKey; account: string },
  work: (tx: Transaction) => Promise<void>,
): Promise<void> {
  await warehouse.transaction(async (tx) => {
    await work(tx)
    const batch = await writtenBatch(tx, account)
    const own = { account, key: () => key, ledger: 'rows' } as const
    if (batch !== undefined) await stateDecision(tx, own, [batch])
  })
}

/** Changes the contents of some activities, with their bytes, before the log has begun. */
export async function changeContents({ warehouse }: { warehouse: Warehouse }): Promise<void> {
  await sql`update svc.whiteboard_activities set content = content || 'x',
    _raw = _raw || jsonb_build_object('content', content || 'x'), _bytes = convert_to(replace(
      convert_from(_bytes, 'UTF8'), content, content || 'x'), 'UTF8') where id = 'a-2'`.execute(
    warehouse.db,
  )
}
