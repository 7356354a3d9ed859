import type { X509Certificate } from 'node:crypto'
import type { ArchiveSettings } from '../../config/archive-settings.ts'
import type { Stream } from '../../core/define/stream.ts'
import type { AuditSettings } from '../../core/records/audit-settings.ts'
import type { FileStore } from '../../store/store.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import type { WitnessKey } from './cosignature.ts'
import type { SigningKey } from './signing-key.ts'

/** Settings that determine whether an account's ledgers are stated, and with which key. */
export interface StatingDeps {
  archive?: { settings: Pick<ArchiveSettings, 'files' | 'recordings'> }
  /** Called only if there is something to sign. */
  evidence?: () => EvidenceAccess
}

/** The key, settings and services that sign an account's evidence. */
export interface EvidenceAccess {
  key: SigningKey
  /** Fingerprints of previous keys, whose checkpoints are still trusted. */
  previousKeys: readonly string[]
  /** True if the store locks its objects, so that the note of a checkpoint is an anchor. */
  locked?: boolean
  /** The account's streams; audited streams get entries. */
  streams: readonly Stream[]
  /** The configured audit settings, and who is responsible for them; not stated if undefined. */
  audits?: { settings: AuditSettings; notedBy: string }
  /** Restores erasure notes that the store has lost. */
  noteErasures?(db: Transaction, kept: { account: string; store: FileStore }): Promise<void>
  /** Requests a token for a SHA-256 from a time-stamp service; if absent, no stamps are requested. */
  timestamp?: Timestamp | undefined
  /** Certificates trusted for time stamps; if absent, the issuer of a stamp is not checked. */
  timestampRoots?: readonly X509Certificate[]
  /** Witnesses that receive each checkpoint to cosign; none if absent. */
  witnesses?: Witnesses | undefined
}

export interface Witnesses {
  services: readonly Witness[]
  /** The number of witnesses that must cosign. */
  needed: number
}

/** A witness of transparency logs (c2sp.org/tlog-witness), identified by its key, not by its address. */
export interface Witness extends WitnessService {
  key: WitnessKey
}

export interface WitnessService {
  /** The witness's address, for messages. */
  place: string
  /** Submits a checkpoint in the protocol's format; returns any response, and throws if there is none. */
  add(body: string, signal: AbortSignal): Promise<WitnessAnswer>
}

export interface WitnessAnswer {
  status: number
  type: string
  text: string
}

/** An RFC 3161 time-stamp service. */
export interface Timestamp {
  /** The service's address, for messages and records. */
  place: string
  /** Returns the whole response after checking that it is granted and belongs to this digest and request. */
  request(sha256: Buffer, signal: AbortSignal): Promise<Buffer>
}

export interface AppendedEvidence {
  /** `records` to `statements`: the numbers of entries that this call signed for the first time. */
  records: number
  files: number
  removals: number
  statements: number
  /** The log state that the newest checkpoint signs; undefined before the first one. */
  checkpoint: string | undefined
  /** The number of checkpoints that this call signed. */
  signed: number
  /** The number of unexplained entries, and of files marked as removed without an entry; none is signed. */
  unexplained: number
  /** A text that names the witnesses that cosigned the newest checkpoint, if they are too few. */
  unwitnessed?: string | undefined
  /** Problems that did not stop the call, e.g. an unavailable time-stamp service or unexplained entries. */
  problems: string[]
}
