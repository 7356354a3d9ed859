import type { FileKind } from '../core/define/file-source.ts'

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
export function addCounts(before: ArchiveCounts | undefined, after: ArchiveCounts): ArchiveCounts {
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
