import { isCheckpointOf, logKey, originOf, readCheckpoint } from '../../evidence/log/checkpoint.ts'
import type { Findings } from '../../evidence/log/finding.ts'
import type { HeadBreak } from '../../evidence/log/head-break.ts'
import type { CheckedHead } from '../../evidence/log/head-chain.ts'
import type { PublicKey } from '../../evidence/log/signing-key.ts'
import type { BundleReader } from './bundle-reader.ts'
import type { Platform } from './platform.ts'

/** The tree over all entries, as a checkpoint signs it. */
export interface LogState {
  size: number
  root: Buffer
  /** As it stands in the bundle, with what witnesses say of it. */
  checkpoint: string
}

interface CheckingLog {
  findings: Findings
  account: string
  /** By fingerprint, the keys that are believed. */
  keys: ReadonlyMap<string, PublicKey>
  /** The newest head. */
  head: CheckedHead | undefined
  breaks: readonly HeadBreak[]
  platform: Pick<Platform, 'signed'>
}

/**
 * Checks that the bundle's checkpoint is that of its newest head. There is none where entries were missing.
 */
export async function checkBundleLog(
  bundle: BundleReader,
  { findings, account, keys, head, breaks, platform }: CheckingLog,
): Promise<LogState | undefined> {
  if (!bundle.has(NAME)) return undefined
  const checkpoint = (await bundle.readPart(NAME))?.toString() ?? ''
  const found = readCheckpoint(checkpoint)
  if (found === undefined) {
    findings.add('checkpoint_unreadable', NAME, {
      found: 'not a checkpoint as the standard has them',
    })
    return undefined
  }
  const key = keys.get(head?.key ?? '')
  if (key === undefined || !(await platform.signed(() => isCheckpointOf(found, key))))
    findings.add('signature_wrong', NAME, { expected: `a signature by the key ${head?.key}` })
  const place = { number: head?.number ?? 0, breaks }
  const due = { origin: originOf(account, place), size: head?.last ?? 0 }
  if (found.origin !== due.origin || found.size !== due.size)
    findings.add('checkpoint_wrong', NAME, {
      expected: `${due.origin}, ${due.size} entries`,
      found: `${found.origin}, ${found.size} entries`,
    })
  const verifier = (await bundle.readPart(KEY_NAME))?.toString()
  const expected = key && logKey(account, key, place)
  if (expected !== undefined && verifier !== `${expected}\n`)
    findings.add('key_exchanged', KEY_NAME, { expected, found: verifier?.trimEnd() ?? 'none' })
  return { size: found.size, root: found.root, checkpoint }
}

const NAME = 'checkpoint'
const KEY_NAME = 'checkpoint.vkey'
