import type { OnClosed } from '../warehouse/ledger/runs.ts'
import { enterRows } from './enter-rows.ts'
import type { StatingDeps } from './log/evidence-access.ts'
import { signsEvidence } from './signs-evidence.ts'

/** States runs when they are closed; undefined if no evidence is kept. */
export function statesRuns(deps: StatingDeps, account: string): OnClosed | undefined {
  if (deps.evidence === undefined) return undefined
  return async (tx, ids) => {
    const signing = await signsEvidence(tx, { ...deps, account })
    if (signing === undefined) return
    const subjects = ids.map((id) => `ledger/runs/${id}`)
    await enterRows(tx, { account, key: signing.key, basis: 'run' }, { ledger: 'runs', subjects })
  }
}
