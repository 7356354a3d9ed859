import { type FileKind, filesPerPage } from '../core/define/file-source.ts'
import type { Job } from '../core/define/job.ts'
import type { RateLabel } from '../core/define/operation.ts'
import type { Warehouse } from '../warehouse/connect.ts'
import { type PendingWork, pendingWork } from './sql/pending-files.ts'
import { type ArchiveAccess, mostDays, wantsFiles } from './work.ts'

/** The files that a job has to fetch, and the calls needed. */
export interface FilesPlan extends PendingWork {
  job: string
  kind: FileKind
  label: RateLabel
  /** True if no list has shown these files yet, so that their number is an estimate. */
  estimated?: true
}

export async function planFiles(
  warehouse: Warehouse,
  archive: Pick<ArchiveAccess, 'settings'>,
  { account, jobs }: { account: string; jobs: readonly Job[] },
): Promise<FilesPlan[]> {
  const plans: FilesPlan[] = []
  for (const { name: job, archive: source } of jobs) {
    if (source === undefined || !wantsFiles(archive, source)) continue
    const limits = { days: mostDays(archive, source), pageSize: filesPerPage(source) }
    const work = await warehouse.transaction((tx) => pendingWork(tx, { source, account }, limits))
    if (work.files > 0) plans.push({ job, kind: source.kind, label: source.download.rate, ...work })
  }
  return plans
}

/** Adds the calls for these files to the calls of a plan. */
export function withFileCalls(
  callsPerLabel: CallsPerLabel,
  files: readonly Pick<FilesPlan, 'label' | 'calls'>[],
): CallsPerLabel {
  const all = { ...callsPerLabel }
  for (const { label, calls } of files) all[label] = (all[label] ?? 0) + calls
  return all
}

type CallsPerLabel = Partial<Record<RateLabel, number>>
