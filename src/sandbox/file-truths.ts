import type { FileKind } from '../core/file-source.ts'
import { activityFileTruths } from './activity-files.ts'
import type { Company } from './company.ts'
import type { FileTruth } from './file-bytes.ts'
import { recordingFileTruths } from './recording-downloads.ts'

/** What the archive must hold of a kind of files, by the sandbox's own reading of the documents. */
export function fileTruths(company: Company, kind: FileKind, nowMs: number): Iterable<FileTruth> {
  return kind === 'activity' ? activityFileTruths(company) : recordingFileTruths(company, nowMs)
}
