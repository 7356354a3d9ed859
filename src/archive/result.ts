import type { FileKind } from '../core/define/file-source.ts'
import { NO_ROOM } from './fetch-parent.ts'
import type { FileOutcome } from './sql/files.ts'
import { DELETED } from './sql/given-up-files.ts'

/** The result of fetching files. `error` ended it early. */
export interface ArchiveResult {
  counts: ArchiveCounts
  /** Messages for a person; each keeps the run from being complete. */
  problems: string[]
  /** Informational notes that need no action. */
  notes: string[]
  /** The number of files without a deadline that wait for files with a deadline. */
  keptBack: number
  /** The number of pending files of recordings in the trash, which cannot be fetched. */
  withheld: number
  error: unknown
  /** The number of files of each kind of problem, and the first reason. */
  reasons: Partial<Record<keyof typeof WORDS, { files: number; first: string }>>
}

export function noArchive(): ArchiveResult {
  const none = { expired: 0, missing: 0, unoffered: 0 }
  const counts = { stored: 0, bytes: 0, ...none, pending: 0 }
  return {
    counts,
    problems: [],
    notes: [],
    keptBack: 0,
    withheld: 0,
    error: undefined,
    reasons: {},
  }
}

/** Counts an outcome. `writtenOff`: the service has now said twice that it no longer has the file. */
export function noteOutcome(
  { counts, reasons }: ArchiveResult,
  { state, stored, reason = '' }: FileOutcome,
  writtenOff: boolean,
): void {
  counts.bytes += stored?.size ?? 0
  if (state === 'stored') counts.stored++
  else if (writtenOff) counts.missing++
  else if (state === 'missing') counts.unoffered++
  if (!writtenOff && (state !== 'pending' || reason === NO_ROOM)) return
  const known = (reasons[writtenOff ? 'missing' : 'failed'] ??= { files: 0, first: reason })
  known.files++
}

/** Counts files that are no longer tried because a sync found their parent or their own row deleted. */
export function noteDeleted({ counts, reasons }: ArchiveResult, files: number): void {
  counts.missing += files
  const before = reasons.deleted?.files ?? 0
  if (files > 0) reasons.deleted = { files: before + files, first: DELETED }
}

/** Each problem begins with its subject, like the problems of slices. */
export function remarksOn({ counts, reasons }: ArchiveResult): string[] {
  const remarks: string[] = []
  if (counts.expired > 0)
    remarks.push(
      `files: ${counts.expired} were lost because they expired before they were downloaded; ` +
        'callsheet.incidents names them',
    )
  for (const [trouble, words] of Object.entries(WORDS)) {
    const known = reasons[trouble as keyof typeof WORDS]
    if (known !== undefined) remarks.push(`files: ${known.files} ${words} (first: ${known.first})`)
  }
  return remarks
}

export function notesOn({ keptBack, withheld }: ArchiveResult): string[] {
  const kept =
    'of recordings wait because calls are reserved for archives that expire within 7 days'
  return [
    ...(keptBack === 0 ? [] : [`files: ${keptBack} ${kept}`]),
    ...(withheld === 0
      ? []
      : [`files: ${withheld} wait because their recordings are in the trash`]),
  ]
}

const WORDS = {
  missing: 'no longer exist, as the service reported twice',
  deleted: 'no longer exist: their sessions are deleted or no longer list them',
  failed: 'could not be downloaded; the next run tries again',
}

export interface ArchiveCounts {
  stored: number
  bytes: number
  /** Files that expired before they were fetched. */
  expired: number
  /** Files that the service twice reported as gone, and files that a sync found deleted. */
  missing: number
  /** Files that the service lists without a download address: nothing was lost. */
  unoffered: number
  /** Files that still need to be fetched after the run. */
  pending: number
}

/** Adds the counts of two passes of a run; the pending files are those of the later one. */
export function addArchiveCounts(
  before: ArchiveCounts | undefined,
  after: ArchiveCounts,
): ArchiveCounts {
  if (before === undefined) return after
  const sum = (name: keyof ArchiveCounts): number => before[name] + after[name]
  return {
    stored: sum('stored'),
    bytes: sum('bytes'),
    expired: sum('expired'),
    missing: sum('missing'),
    unoffered: sum('unoffered'),
    pending: after.pending,
  }
}

export interface FileProgress {
  files: FileKind
  /** How many of the planned files have an outcome, including failed downloads. */
  filesDone: number
  filesPlanned: number
  bytes: number
}
