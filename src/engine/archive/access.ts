import type { FileStore } from '../../archive/store.ts'
import type { ArchiveSettings } from '../../config/archive-settings.ts'
import type { FileSource } from '../../core/file-source.ts'
import type { RateLabel } from '../../core/operation.ts'

/** An account's archive, as a use case of the engine is given it. */
export interface ArchiveAccess {
  settings: Pick<
    ArchiveSettings,
    'files' | 'recordings' | 'recordingsDays' | 'recordingsBytes' | 'priority'
  >
  /** The account's store, open: one for the process, which closes it when it is done with the account. */
  store(): Promise<FileStore>
  /** Calls that a label may still make until 00:00 UTC, by its day and its rate; undefined where unknown. */
  callsLeft(label: RateLabel): Promise<number | undefined>
}

/** Whether the configuration wants the files of a kind at all. */
export function wantsFiles({ settings }: ArchiveAccess, { kind }: FileSource): boolean {
  return kind === 'activity' ? settings.files : settings.recordings
}
