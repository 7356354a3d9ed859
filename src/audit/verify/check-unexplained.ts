import { isProven, readRequests } from '../../erasure/sql/erasure-requests.ts'
import { countByRequest, unprovenSuppressions } from '../../erasure/suppression-proof.ts'
import { type PublicKey, readPublicKey } from '../../evidence/log/signing-key.ts'
import type { CheckpointRow } from '../../evidence/sql/checkpoints.ts'
import { readingEntries } from '../../evidence/sql/manifest.ts'
import { unexplainedEntries, wordKeys } from '../../evidence/unexplained.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import type { Verifying } from './verifying.ts'

/**
 * Reports open erasure requests and suppressed identities without a valid proof, and entries that no
 * checkpoint covers and that the key must sign and did not. Returns the numbers of these entries, which later
 * checks must ignore.
 */
export async function checkUnexplained(
  tx: Transaction,
  verifying: Verifying,
  checkpoints: readonly CheckpointRow[],
): Promise<ReadonlySet<number>> {
  const { account, findings, notJudged } = verifying
  const key = keyOfToday(verifying, checkpoints)
  await checkRequests(tx, verifying, key)
  await checkSuppressions(tx, verifying)
  const after = checkpoints.at(-1)?.size ?? 0
  if (key === undefined) {
    const taking = await readingEntries(tx, account, after)
    if (taking.length > 0)
      notJudged.push(
        `Whether ${taking.length} erasures, removals and statements that no checkpoint covers yet are ` +
          'authorized: this machine has no key to check their signatures.',
      )
    return new Set()
  }
  const unexplained = await unexplainedEntries(tx, account, {
    after,
    keys: wordKeys(key, verifying.keys, checkpoints.at(-1)),
  })
  for (const { seq, kind, subject } of unexplained)
    findings.add('entry_unexplained', `entry ${seq} (${subject})`, {
      expected: `a signature of this ${kind} by the key ${key.fingerprint}`,
      found: 'no valid signature',
    })
  return new Set(unexplained.map(({ seq }) => seq))
}

async function checkRequests(
  tx: Transaction,
  { account, findings, notJudged, secrets = [] }: Verifying,
  key: PublicKey | undefined,
): Promise<void> {
  let unknown = 0
  for (const request of await readRequests(tx, account)) {
    if (isProven({ evidence: key, secrets }, account, request)) continue
    // A machine that only verifies may lack the notification secret.
    const bySecret = request.proof?.length === SECRET_PROOF_BYTES
    if (bySecret ? secrets.length === 0 : key === undefined) unknown++
    else
      findings.add('request_unexplained', `the request ${request.id} for an erasure`, {
        expected: 'a signature by one of your keys',
        found: 'no valid signature',
      })
  }
  if (unknown > 0)
    notJudged.push(
      `Whether ${unknown} erasure requests are authorized: this machine has no key to check them.`,
    )
}

async function checkSuppressions(
  tx: Transaction,
  { account, findings, notJudged, keys, ownKey }: Verifying,
): Promise<void> {
  const unproven = await unprovenSuppressions(tx, account, { ownKey, keys })
  const someKey = ownKey !== undefined || keys.length > 0
  if (unproven.length > 0 && !someKey)
    return void notJudged.push(
      `Whether ${unproven.length} identities on the suppression list belong there: this machine has no key.`,
    )
  for (const [request, identities] of countByRequest(unproven))
    findings.add(
      'suppression_unexplained',
      `${identities} identities that request ${request} keeps out`,
      {
        expected: 'a signature by one of your keys for each identity on the suppression list',
        found: 'no valid signature',
      },
    )
}

/** Returns the current key, from this machine or a checkpoint; undefined if neither has it. */
function keyOfToday(
  { keys, ownKey }: Verifying,
  checkpoints: readonly CheckpointRow[],
): PublicKey | undefined {
  const borne = checkpoints.toReversed().map(({ key: der }) => readPublicKey(der))
  const [newest] = borne
  const wanted = keys[0] ?? newest?.fingerprint ?? ownKey?.fingerprint
  return [ownKey, ...borne].find((one) => one !== undefined && one.fingerprint === wanted)
}

const SECRET_PROOF_BYTES = 32
