import type { X509Certificate } from 'node:crypto'
import type { ArchiveSettings } from '../../config/archive-settings.ts'
import type { Stream } from '../../core/define/stream.ts'
import type { AuditSettings } from '../../core/records/audit-settings.ts'
import type { FileStore } from '../../store/store.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import type { WitnessKey } from './cosignature.ts'
import type { SigningKey } from './signing-key.ts'

/** What decides whether the ledgers of an account are stated, and by whose key. */
export interface StatingDeps {
  archive?: { settings: Pick<ArchiveSettings, 'files' | 'recordings'> }
  /** Read only when something is to be signed. */
  evidence?: () => EvidenceAccess
}

/** What signs the evidence of an account, as a use case of the engine is given it. */
export interface EvidenceAccess {
  key: SigningKey
  /** Fingerprints of the keys of before, whose checkpoints are still believed. */
  previousKeys: readonly string[]
  /** True where the store locks what is kept in it: the note of a checkpoint is an anchor then. */
  locked?: boolean
  /** The streams of the account; entries are made for those that are audited. */
  streams: readonly Stream[]
  /** What is audited, as the configuration says it, and who answers for it; not stated where not given. */
  audits?: { settings: AuditSettings; notedBy: string }
  /** Keeps the notes of erasures again that the store has lost. */
  noteErasures?(db: Transaction, kept: { account: string; store: FileStore }): Promise<void>
  /** Asks a time-stamp service for a token over a SHA-256; none is asked for where this is not given. */
  timestamp?: Timestamp | undefined
  /** Certificates that are trusted for time stamps; without any it is not judged whose they are. */
  timestampRoots?: readonly X509Certificate[]
  /** Who is asked to cosign each checkpoint; nobody where this is not given. */
  witnesses?: Witnesses | undefined
}

export interface Witnesses {
  services: readonly Witness[]
  /** How many of them must cosign. */
  needed: number
}

/** A witness of logs (c2sp.org/tlog-witness). */
export interface Witness {
  key: WitnessKey
  /** Its address. */
  place: string
  /** Answers whatever it says to this body; throws where it does not answer. */
  add(body: string, signal: AbortSignal): Promise<{ status: number; type: string; text: string }>
  /** The checkpoint that it cosigned last, by the hash of the log's origin. */
  newest(originHash: string, signal: AbortSignal): Promise<string | undefined>
}

/** Answers the whole RFC 3161 response, which was checked to be granted and of this digest. */
export interface Timestamp {
  place: string
  request(sha256: Buffer, signal: AbortSignal): Promise<Buffer>
}

export interface AppendedEvidence {
  /** Of each kind the entries that this call signed, which were not signed before. */
  records: number
  files: number
  removals: number
  statements: number
  /** The state of the log that the newest checkpoint signs; undefined while there is none. */
  checkpoint: string | undefined
  /** Checkpoints that this call signed. */
  signed: number
  /** Entries and removed files that nothing of ours explains: of these nothing is signed. */
  unexplained: number
  /** In words by whom the newest checkpoint is cosigned, where those are fewer than are needed. */
  unwitnessed?: string | undefined
  /** What can be made up for by the next call, e.g. a time-stamp service that does not answer. */
  problems: string[]
}
