import type { FileKind } from '../../src/core/define/file-source.ts'
import type { FileTruth } from '../protocol/file-bytes.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import { recordingFileTruths } from '../video/recording-downloads.ts'
import { activityFileTruths } from './activity-files.ts'

/** Returns the files that the archive must contain, by the sandbox's own reading of the documents. */
export function fileTruths(seedData: SeedData, kind: FileKind, nowMs: number): Iterable<FileTruth> {
  return kind === 'activity' ? activityFileTruths(seedData) : recordingFileTruths(seedData, nowMs)
}
