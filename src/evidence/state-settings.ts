import type { Lease } from '../warehouse/ledger/lease.ts'
import { type DatabaseDeps, inTransaction } from '../warehouse/ledger/retry-database.ts'
import { enterRows } from './enter-rows.ts'
import type { StatingDeps } from './log/evidence-access.ts'
import { signsEvidence } from './signs-evidence.ts'
import { insertAuditSettings } from './sql/insert-audit-settings.ts'

/**
 * Records and states the audit settings if they changed, unless no evidence is kept. Called before they are
 * used to read anything.
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
