import type { FileStore } from '../../archive/store.ts'
import type { Stream } from '../../core/declare/stream.ts'
import type { EvidenceFinding, Findings } from '../../evidence/finding.ts'
import type { PublicKey } from '../../evidence/signing-key.ts'
import type { Warehouse } from '../../warehouse/connection/connect.ts'

export interface VerifyOptions {
  account: string
  store: FileStore
  /** The streams of the account; the audited ones are compared with their entries. */
  streams: readonly Stream[]
  signal: AbortSignal
  /** The fingerprints of the keys whose heads are believed; none: any key's, and that is said. */
  keys: readonly string[]
  /** The key of this machine, if it has one. */
  ownKey?: PublicKey | undefined
  /** What notifications of the account are signed with, where this machine knows it. */
  secrets?: readonly string[]
  /** Whether the person who asks named the key, and not this machine. */
  keyPinned: boolean
  /** The hash of a head that was noted elsewhere, which must be among the heads. */
  head?: string | undefined
  onProgress?: (done: { files: number; bytes: number }) => void
}

export interface VerifiedEvidence {
  account: string
  findings: readonly EvidenceFinding[]
  /** Of all, those that are not listed included. */
  findingCount: number
  /** What this check could not tell, each as a sentence. */
  notJudged: readonly string[]
  /** The newest head; undefined where there is none. */
  head: { number: number; hash: string; at: string; key: string } | undefined
  checked: {
    entries: number
    heads: number
    records: number
    files: number
    bytes: number
    /** Contents of removed files that a hold, the store's lock or a cut-off prune keeps, looked at alike. */
    kept: number
    /** Entries whose content was erased. */
    erased: number
    anchors: number
  }
}

/** What the parts of a verification work with. */
export interface Verifying extends VerifyOptions {
  warehouse: Pick<Warehouse, 'transaction' | 'db'>
  findings: Findings
  notJudged: string[]
  checked: VerifiedEvidence['checked']
  /** Entries of erasures and removals that nobody explains: what they say counts for nothing. */
  unexplained: ReadonlySet<number>
}

/** What a comparison of the tables with the manifest needs, which an export makes too. */
export interface Comparing
  extends Pick<Verifying, 'account' | 'streams' | 'findings' | 'notJudged' | 'unexplained'> {
  checked: Pick<Verifying['checked'], 'records' | 'erased'>
  /** Collects, where it is given, the entries whose salt or content is not there any more by no right. */
  lost?: Set<number>
}
