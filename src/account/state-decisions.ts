import type { OnDecided } from '../archive/sql/holds.ts'
import { ConfigurationError } from '../core/errors.ts'
import { BASELINE } from '../core/records/statement.ts'
import { enterRows, stateDecision } from '../evidence/enter-rows.ts'
import type { SigningKey } from '../evidence/log/signing-key.ts'
import { statementAbout } from '../evidence/sql/statements.ts'
import type { StatesLake } from '../report/lake/export-lake.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { knownSigningKey } from './open-evidence.ts'
import type { Wiring } from './wire.ts'

/** Records in the evidence that a hold was placed or released. */
export function statesHold(wiring: Wiring, account: string): OnDecided {
  return async (tx, id) =>
    await stateDecision(tx, { account, key: keyOf(wiring), ledger: 'holds' }, [id])
}

/** Records in the evidence that a run's held-back deletions were released. */
export function statesRelease(wiring: Wiring, { account, run }: { account: string; run: number }) {
  return async (tx: Transaction, streams: readonly string[]): Promise<void> => {
    const names = streams.map((stream) => `${stream}/${run}`)
    await stateDecision(tx, { account, key: keyOf(wiring), ledger: 'releases' }, names)
  }
}

/** Records snapshots of lakes in the evidence, unless the account has no evidence yet. */
export function statesLakes(wiring: Pick<Wiring, 'config'>): StatesLake {
  return async (tx, account, id) => {
    if ((await statementAbout(tx, account, BASELINE)) === undefined) return false
    const vouching = { account, key: keyOf(wiring)(), basis: 'lake' }
    await enterRows(tx, vouching, { ledger: 'lakes', subjects: [`ledger/lakes/${id}`] })
    return true
  }
}

/**
 * Returns a function that reads this machine's key. It makes no key: an account with decisions has one, and
 * entries signed with a different key would stop the account's key from signing.
 */
function keyOf({ config }: Pick<Wiring, 'config'>): () => SigningKey {
  return () => {
    const known = knownSigningKey(config)
    if (known !== undefined) return known
    throw new ConfigurationError('evidence_key_absent', {
      tried: 'Recording the decision in the evidence',
      came: `no signing key is set in evidence.signingKey or stored in ${config.stateDirectory}`,
      todo:
        'run the command on the machine that syncs, or set evidence.signingKey to that ' +
        "machine's key; nothing changed",
    })
  }
}
