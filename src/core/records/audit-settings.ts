/**
 * What is audited, as the configuration says it. No secret is among it. As JSON it stands in the ledger and
 * in bundles, so its names are those of columns.
 */
export interface AuditSettings {
  /** The jobs that read audited streams, or fetch files. */
  jobs: readonly AuditedJob[]
  /** The kinds of files that are fetched, and within which bounds. */
  files: readonly { kind: string; most_days: number | null; most_bytes: number | null }[]
  /**
   * How long stored files are kept; all are kept for ever where there is no rule, and whatever a hold is on.
   */
  retention: readonly {
    keep_days: number
    whiteboards?: readonly string[] | undefined
    labels?: readonly string[] | undefined
  }[]
  /** For how many months the ledger of slices is kept; null: for ever. */
  ledger_months: number | null
}

export interface AuditedJob {
  job: string
  enabled: boolean
  schedule: string
  timezone: string
  /** The longest time between two due times; a day where nothing is due. */
  longest_wait_ms: number
  /** The streams that it reads, and how many days back; null: as far as the service shows. */
  streams: readonly { stream: string; audited: boolean; history_days: number | null }[]
}

/** Whether what a ledger or a bundle holds has the form of ours. */
export function isAuditSettings(value: unknown): value is AuditSettings {
  const { jobs, files, retention } = (value ?? {}) as Partial<AuditSettings>
  return (
    [jobs, files, retention].every(Array.isArray) &&
    (jobs ?? []).every(
      (job) => typeof job?.longest_wait_ms === 'number' && Array.isArray(job.streams),
    )
  )
}
