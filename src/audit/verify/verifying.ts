import type { Stream } from '../../core/define/stream.ts'
import type { EvidenceFinding, Findings } from '../../evidence/log/finding.ts'
import type { PublicKey } from '../../evidence/log/signing-key.ts'
import type { WitnessPolicy } from '../../evidence/log/witness-policy.ts'
import type { StampTrust } from '../../evidence/stamp/check-stamps.ts'
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
  /** Whether the person named the key, rather than this machine. */
  keyPinned: boolean
  /** The state of the log that was noted elsewhere; the log must have gone through it. */
  checkpoint?: string | undefined
  /** What time stamps are judged by; if not given, not whose they are, nor whether they hold today. */
  stampTrust?: StampTrust
  /** Who is to cosign checkpoints, and how many of them. */
  witnesses?: WitnessPolicy | undefined
  onProgress?: (done: { files: number; bytes: number }) => void
}

export interface VerifiedEvidence {
  account: string
  findings: readonly EvidenceFinding[]
  /** All findings, including those not listed. */
  findingCount: number
  /** What this check could not find out, each as a sentence. */
  notJudged: readonly string[]
  /** When the newest checkpoint was signed, and by which key; undefined if there is none. */
  signed: { at: string; key: string } | undefined
  /** The state of the log that the newest checkpoint signs, for people to note. */
  checkpoint: string | undefined
  /** What witnesses and other verifiers take as the key of the newest checkpoint; undefined without one. */
  log: string | undefined
  checked: {
    entries: number
    checkpoints: number
    records: number
    /** Of all streams, those of today and the versions of before. */
    rows: number
    /** Batches of slices, and rows of other ledgers, that were held against their statements. */
    stated: number
    files: number
    bytes: number
    /** Contents of removed files kept by a hold, the store's lock or an interrupted prune; checked alike. */
    kept: number
    /** Entries whose content was erased. */
    erased: number
    anchors: number
    cosignatures: number
  }
}

/** What the parts of a verification share. */
export interface Verifying extends VerifyOptions {
  warehouse: Pick<Warehouse, 'transaction' | 'db'>
  findings: Findings
  notJudged: string[]
  checked: VerifiedEvidence['checked']
  /** Entries that need the key's word and have it not: what they say is ignored. */
  unexplained: ReadonlySet<number>
}

/** What a comparison of the tables with the manifest needs; an export makes it too. */
export interface Comparing
  extends Pick<Verifying, 'account' | 'streams' | 'findings' | 'notJudged' | 'unexplained'> {
  checked: Pick<Verifying['checked'], 'records' | 'erased' | 'stated' | 'rows'>
  /** Collects, if given, the entries whose salt or content is missing without a reason. */
  lost?: Set<number>
}
