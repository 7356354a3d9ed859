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
  /** Fingerprints of the keys of before, for which the bundle vouches; it does for no others. */
  previousKeys: readonly string[]
  streams: readonly Stream[]
  /** Who is to cosign checkpoints, which the bundle tells. */
  witnesses?: WitnessPolicy | undefined
  /** Where the bundle is to lie; one of ours is replaced in one step. */
  path: string
  /** Who exports it, for the record. */
  by: string
  /** For which case. */
  forCase?: Omit<BundleCase, 'exported_by'> | undefined
  signal: AbortSignal
  /** Makes the workbook in a folder of ours; answers the names of its files. */
  makeWorkbook?: MakeWorkbook | undefined
}

export type MakeWorkbook = (directory: string) => Promise<string[]>

export interface ExportedAudit extends PlacedFile {
  facts: BundleFacts
  /** What a reader must know: versions without an entry, files that could not be read. */
  problems: string[]
}

export type ExportedLog = CheckpointRow & Pick<Checkpoint, 'root'>

/** What the parts of an export work with. */
export interface Exporting extends ExportOptions {
  bundle: BundleWriter
  account: string
  selection: AuditSelection
  /** The newest checkpoint, under which the bundle stands. */
  log: ExportedLog
  facts: BundleFacts
  problems: string[]
  /** Erasures and removals that it does not cover, which somebody with the key explains. */
  pending: readonly ManifestRow[]
  /** The same, which nobody explains. */
  unexplained: ReadonlySet<number>
  /** Entries, in scope or not, whose salt or content is not there any more by no right. */
  lost: Set<number>
}
