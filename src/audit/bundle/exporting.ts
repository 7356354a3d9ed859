import type { Stream } from '../../core/define/stream.ts'
import type { Checkpoint } from '../../evidence/log/checkpoint.ts'
import type { SigningKey } from '../../evidence/log/signing-key.ts'
import type { WitnessPolicy } from '../../evidence/log/witness-policy.ts'
import type { CheckpointRow } from '../../evidence/sql/checkpoints.ts'
import type { ManifestRow } from '../../evidence/sql/manifest.ts'
import type { PlacedFile } from '../../report/put-in-place.ts'
import type { FileStore } from '../../store/store.ts'
import type { BundleCase, BundleFacts } from '../proof/bundle-format.ts'
import type { AuditScope, AuditSelection } from './audit-selection.ts'
import type { BundleWriter } from './bundle-writer.ts'

export interface ExportOptions {
  scope: AuditScope
  store: FileStore
  key: SigningKey
  /** Fingerprints of the previous keys that the bundle vouches for. It vouches for no others. */
  previousKeys: readonly string[]
  streams: readonly Stream[]
  /** The witnesses required to cosign checkpoints; the bundle lists them. */
  witnesses?: WitnessPolicy | undefined
  /** The path of the bundle; an existing bundle there is replaced atomically. */
  path: string
  /** The person who exports the bundle, for the record of exports. */
  by: string
  /** The case for which the bundle is exported, if any. */
  forCase?: Omit<BundleCase, 'exported_by'> | undefined
  signal: AbortSignal
  /** Makes the workbook in the given folder; returns its file names. */
  makeWorkbook?: MakeWorkbook | undefined
}

export type MakeWorkbook = (directory: string) => Promise<string[]>

export interface ExportedAudit extends PlacedFile {
  facts: BundleFacts
  /** Facts that a reader must know, such as versions without an entry or unreadable files. */
  problems: string[]
}

export type ExportedLog = CheckpointRow & Pick<Checkpoint, 'root'>

/** The dependencies and state that the parts of an export share. */
export interface Exporting extends ExportOptions {
  bundle: BundleWriter
  account: string
  selection: AuditSelection
  /** The checkpoint that covers the bundle: the newest by the current key, or else the newest of all. */
  log: ExportedLog
  facts: BundleFacts
  problems: string[]
  /** The entries after the checkpoint that the key must sign and did sign. */
  pending: readonly ManifestRow[]
  /** The numbers of the entries after the checkpoint that the key must sign and did not sign. */
  unexplained: ReadonlySet<number>
  /** The numbers of entries, in scope or not, whose salt or content is missing without an explanation. */
  lost: Set<number>
}

/** The end of a problem's text about items that no checkpoint covers yet. */
export const UNSIGNED =
  'entered since the newest checkpoint and left out: the next run signs them, then export again'
