import { hashOfBase64 } from '../../evidence/log/base64.ts'
import {
  goesOn,
  isCheckpointOf,
  originOf,
  type ReadCheckpoint,
  readCheckpoint,
  readState,
  stateText,
} from '../../evidence/log/checkpoint.ts'
import { sha256Hex } from '../../evidence/log/digest.ts'
import type { Findings } from '../../evidence/log/finding.ts'
import { readVerifierKey, verifierKey } from '../../evidence/log/note.ts'
import type { PublicKey } from '../../evidence/log/signing-key.ts'
import { isConsistent } from '../../evidence/log/tile-proofs.ts'
import { readOlderLine } from './bundle-format.ts'
import type { BundleReader } from './bundle-reader.ts'
import type { Sums } from './bundle-sums.ts'
import type { Platform } from './platform.ts'

interface CheckingLog {
  findings: Findings
  account: string
  /** The bundle's own key; undefined if it has none. */
  key: PublicKey | undefined
  sums: Sums
  /** The state in the bundle's facts. */
  state: string | undefined
  platform: Pick<Platform, 'signed'>
}

/**
 * The tree over all entries that the bundle's checkpoint signs, with the older states that it provably
 * continues.
 */
export class BundleLog {
  readonly #findings: Findings
  readonly #read: ReadCheckpoint
  readonly #states: Set<string>
  /** The text of the member `checkpoint`, including cosignatures. */
  readonly checkpoint: string
  /** The fingerprint of the key that must have signed the checkpoint; undefined if there is no valid key. */
  readonly key: string | undefined

  constructor(
    read: ReadCheckpoint,
    { findings, ...told }: { findings: Findings; checkpoint: string; key: string | undefined },
  ) {
    this.#findings = findings
    this.#read = read
    this.#states = new Set([stateText(read)])
    this.checkpoint = told.checkpoint
    this.key = told.key
  }

  get size(): number {
    return this.#read.size
  }

  get root(): Buffer {
    return this.#read.root
  }

  get state(): string {
    return stateText(this.#read)
  }

  /** Adds the state in a line of `older.ndjson` if its proof is valid; reports the line otherwise. */
  addOlder(text: string, place: string): void {
    const { checkpoint = '', proof = [] } = readOlderLine(text) ?? {}
    const older = readState(checkpoint)
    const hashes = proof.flatMap((hash) => hashOfBase64(hash) ?? [])
    if (older !== undefined && older.size > 0 && isConsistent(older, this.#read, hashes))
      this.#states.add(checkpoint)
    else
      this.#findings.add('proof_wrong', place, {
        expected: 'a valid proof that the log continues an older state',
        found: older === undefined ? 'a malformed line' : `an invalid proof for ${checkpoint}`,
      })
  }

  /** Returns true if the log is or was in this state. */
  has(state: string): boolean {
    return this.#states.has(state)
  }
}

/**
 * Checks the bundle's checkpoint and its signature: by the bundle's own key, or by a previous key in
 * `checkpoint.vkey` if the signed sums contain that member.
 */
export async function checkBundleLog(
  bundle: BundleReader,
  { findings, account, sums, state, platform, ...checking }: CheckingLog,
): Promise<BundleLog | undefined> {
  const checkpoint = (await bundle.readPart(NAME))?.toString() ?? ''
  const found = readCheckpoint(checkpoint)
  if (found === undefined) {
    if (bundle.has(NAME))
      findings.add('checkpoint_unreadable', NAME, {
        found: 'not a valid checkpoint (c2sp.org/tlog-checkpoint)',
      })
    return undefined
  }
  const { origin } = found
  const told = (await bundle.readPart(KEY_NAME)) ?? Buffer.alloc(0)
  const vouched = sums.signed && sums.digests.get(KEY_NAME) === sha256Hex(told)
  const other = vouched ? readVerifierKey(origin, told.toString().trimEnd()) : undefined
  const key = other ?? checking.key
  const expected = key && `${verifierKey(origin, key)}\n`
  if (expected !== told.toString())
    findings.add('key_exchanged', KEY_NAME, {
      expected: expected?.trimEnd() ?? 'a valid key',
      found: told.toString().trimEnd() || 'none',
    })
  if (key === undefined || !(await platform.signed(() => isCheckpointOf(found, key))))
    findings.add('signature_wrong', NAME, {
      expected:
        key === undefined
          ? 'a valid key in key.pem, and its signature'
          : `a signature by the key ${key.fingerprint}`,
    })
  if (!goesOn(origin, originOf(account)) || (state !== undefined && stateText(found) !== state))
    findings.add('checkpoint_wrong', NAME, {
      expected: `${originOf(account)}, ${state ?? '(bundle.json is unreadable)'}`,
      found: `${origin}, ${stateText(found)}`,
    })
  return new BundleLog(found, { findings, checkpoint, key: key?.fingerprint })
}

/** Returns the open question about a log that continues after a break: the lost part cannot be checked. */
export function knownBreak(account: string, checkpoint: string | undefined): string[] {
  const { origin } = readCheckpoint(checkpoint ?? '') ?? {}
  if (origin === undefined || !goesOn(origin, originOf(account)) || origin === originOf(account))
    return []
  return [
    'Entries that were lost when the database was restored from a backup: since then, the log has the ' +
      `name ${origin}, as the holder of its key stated.`,
  ]
}

/** Returns the open question if a replaced key, which may have leaked since, signed the checkpoint. */
export function unjudgedSigner(
  log: BundleLog | undefined,
  { key, pinned }: { key: string | undefined; pinned: string | undefined },
): string[] {
  if (log?.key === undefined || log.key === key || log.state === pinned) return []
  return [
    `Whether a holder of the earlier key ${log.key} forged this checkpoint later: enter the ` +
      'newest checkpoint that you saved (--checkpoint SIZE:ROOT).',
  ]
}

const NAME = 'checkpoint'
const KEY_NAME = 'checkpoint.vkey'
