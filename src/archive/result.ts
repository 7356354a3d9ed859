import type { FileKind } from '../core/define/file-source.ts'
import { NO_ROOM } from './fetch-parent.ts'
import type { FileOutcome } from './sql/files.ts'
import { DELETED } from './sql/given-up-files.ts'

/** What an archiving came to. `error` ended it early. */
export interface ArchiveResult {
  counts: ArchiveCounts
  /** What a person should read; each of them keeps the run from being complete. */
  problems: string[]
  /** What a person should read that is as it should be. */
  notes: string[]
  /** Files without a deadline that wait for those that have one. */
  keptBack: number
  /** Pending files of recordings in the trash, which cannot be had. */
  withheld: number
  error: unknown
  /** Of the first file of each kind of trouble, why. */
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

/** `writtenOff`: the service has said twice now that it has the file no longer. */
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

/** So many files were written off: a sync found that the service deleted what lists them, or them alone. */
export function noteDeleted({ counts, reasons }: ArchiveResult, files: number): void {
  counts.missing += files
  const before = reasons.deleted?.files ?? 0
  if (files > 0) reasons.deleted = { files: before + files, first: DELETED }
}

/** Each problem begins with what it is about, as those of slices do. */
export function remarksOn({ counts, reasons }: ArchiveResult): string[] {
  const remarks: string[] = []
  if (counts.expired > 0)
    remarks.push(
      `files: ${counts.expired} were lost, because their time was over before they were fetched ` +
        '(callsheet.incidents names them)',
    )
  for (const [trouble, words] of Object.entries(WORDS)) {
    const known = reasons[trouble as keyof typeof WORDS]
    if (known !== undefined) remarks.push(`files: ${known.files} ${words} (first: ${known.first})`)
  }
  return remarks
}

export function notesOn({ keptBack, withheld }: ArchiveResult): string[] {
  const kept = 'of recordings wait, as the calls are kept for archives that expire within 7 days'
  return [
    ...(keptBack === 0 ? [] : [`files: ${keptBack} ${kept}`]),
    ...(withheld === 0 ? [] : [`files: ${withheld} wait, as their recordings are in the trash`]),
  ]
}

const WORDS = {
  missing: 'are no longer there, as the service said twice',
  deleted: 'are no longer there, as their sessions are deleted or do not list them any more',
  failed: 'could not be fetched yet, and are tried again by the next run',
}

export interface ArchiveCounts {
  stored: number
  bytes: number
  /** Lost to their deadline. */
  expired: number
  /** These the service offered once, and says twice that it no longer has. */
  missing: number
  /** Of these it never offered a file: nothing was lost. */
  unoffered: number
  /** All that are still to be fetched after the run. */
  pending: number
}

/** The sums of two archivings of a run; what is still pending is what the later one says. */
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
  /** Of so many files that are due, so many are stored, or known not to be. */
  filesDone: number
  filesPlanned: number
  bytes: number
}
