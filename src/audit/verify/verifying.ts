import type { Stream } from '../../core/define/stream.ts'
import type { EvidenceFinding, Findings } from '../../evidence/log/finding.ts'
import type { PublicKey } from '../../evidence/log/signing-key.ts'
import type { WitnessPolicy } from '../../evidence/log/witness-policy.ts'
import type { StampTrust } from '../../evidence/stamp/check-stamps.ts'
import type { LakePlace } from '../../store/lake-place.ts'
import type { FileStore } from '../../store/store.ts'
import type { Warehouse } from '../../warehouse/connect.ts'

export interface VerifyOptions {
  account: string
  store: FileStore
  /** The streams of the account; the audited ones are compared with their entries. */
  streams: readonly Stream[]
  signal: AbortSignal
  /** The fingerprints of the trusted keys; if empty, any key is trusted, and the result says so. */
  keys: readonly string[]
  /** The key of this machine, if it has one. */
  ownKey?: PublicKey | undefined
  /** The secrets that sign the account's notifications, if this machine has them. */
  secrets?: readonly string[]
  /** True if the person named the key on the command line; false if the key is this machine's own. */
  keyPinned: boolean
  /** A state of the log that was saved elsewhere and that the log must have passed through. */
  checkpoint?: string | undefined
  /** The roots and time for checking stamps; if absent, neither issuer nor validity today is checked. */
  stampTrust?: StampTrust
  /** The required witnesses, and how many of them must cosign. */
  witnesses?: WitnessPolicy | undefined
  /** A lake whose snapshots of the account are verified too. */
  lake?: LakePlace | undefined
  onProgress?: (done: { files: number; bytes: number }) => void
}

export interface VerifiedEvidence {
  account: string
  findings: readonly EvidenceFinding[]
  /** All findings, including those not listed. */
  findingCount: number
  /** Questions that this check could not settle, each as a sentence. */
  notJudged: readonly string[]
  /** The newest checkpoint: the time of its last entry, and its key; undefined if there is none. */
  signed: { at: string; key: string } | undefined
  /** The log state that the newest checkpoint signs, for people to write down. */
  checkpoint: string | undefined
  /** The verifier key of the newest checkpoint, for witnesses and other verifiers; undefined without one. */
  log: string | undefined
  checked: {
    entries: number
    checkpoints: number
    records: number
    /** Current and previous versions, in all streams. */
    rows: number
    /** Batches of slices, and rows of other ledgers, that were compared with their statements. */
    stated: number
    files: number
    bytes: number
    /** Contents of removed files kept by a hold, the store's lock or an interrupted prune; checked too. */
    kept: number
    /** Entries whose content was erased. */
    erased: number
    anchors: number
    cosignatures: number
    /** Files of the lake, each counted once. */
    lakeFiles: number
  }
}

/** The options and results that the parts of a verification share. */
export interface Verifying extends VerifyOptions {
  warehouse: Pick<Warehouse, 'transaction' | 'db'>
  findings: Findings
  notJudged: string[]
  checked: VerifiedEvidence['checked']
  /** The numbers of entries that the key must sign and did not sign. Their content is ignored. */
  unexplained: ReadonlySet<number>
}

/** The input of the checks that compare tables with the manifest; an export runs them too. */
export interface Comparing
  extends Pick<Verifying, 'account' | 'streams' | 'findings' | 'notJudged' | 'unexplained'> {
  checked: Pick<Verifying['checked'], 'records' | 'erased' | 'stated' | 'rows'>
  /** If given, collects the numbers of entries that lack a salt or content without an explanation. */
  lost?: Set<number>
}
