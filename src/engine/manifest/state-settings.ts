import { insertAuditSettings } from '../../warehouse/evidence/audit-settings.ts'
import type { Lease } from '../../warehouse/ledgers/lease.ts'
import type { StatingDeps } from '../run/evidence-access.ts'
import { type DatabaseDeps, inTransaction } from '../run/retry-database.ts'
import { enterRows } from './enter-rows.ts'
import { signsEvidence } from './signs-evidence.ts'

/**
 * Records what is audited where that is another than before, and states it; nothing while no evidence is
 * kept. Called before anything is read by it.
 */
export async function stateSettings(
  deps: DatabaseDeps & StatingDeps,
  { account, lease }: { account: string; lease: Lease },
): Promise<void> {
  await inTransaction({ ...deps, lease }, async (tx) => {
    const signing = await signsEvidence(tx, { ...deps, account })
    if (signing?.audits === undefined) return
    const id = await insertAuditSettings(tx, account, signing.audits)
    if (id === undefined) return
    const vouching = { account, key: signing.key, basis: 'settings' }
    await enterRows(tx, vouching, { ledger: 'settings', subjects: [`ledger/settings/${id}`] })
  })
}
