import type { FileKind } from '../../core/declare/file-source.ts'
import type { Company } from '../company/company.ts'
import type { FileTruth } from '../protocol/file-bytes.ts'
import { recordingFileTruths } from '../video/recording-downloads.ts'
import { activityFileTruths } from './activity-files.ts'

/** What the archive must hold of a kind of files, by the sandbox's own reading of the documents. */
export function fileTruths(company: Company, kind: FileKind, nowMs: number): Iterable<FileTruth> {
  return kind === 'activity' ? activityFileTruths(company) : recordingFileTruths(company, nowMs)
}
