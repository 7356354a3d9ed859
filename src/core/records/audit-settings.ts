/**
 * The audit scope in the configuration, without secrets. Names are spelled like columns, because the ledger
 * and bundles contain the scope as JSON.
 */
export interface AuditSettings {
  /** The jobs that read audited streams or download files. */
  jobs: readonly AuditedJob[]
  /** The kinds of files that are downloaded, and their limits. */
  files: readonly { kind: string; most_days: number | null; most_bytes: number | null }[]
  /** How long stored files are kept: forever without a rule, and in any case while a hold applies. */
  retention: readonly {
    keep_days: number
    whiteboards?: readonly string[] | undefined
    labels?: readonly string[] | undefined
  }[]
  /** For how many months the ledger of slices is kept; null: forever. */
  ledger_months: number | null
}

export interface AuditedJob {
  job: string
  enabled: boolean
  schedule: string
  timezone: string
  /** The longest time between two due times; a day if the job is never due. */
  longest_wait_ms: number
  /** The streams that the job reads, and how many days back; null: as far as the service has data. */
  streams: readonly { stream: string; audited: boolean; history_days: number | null }[]
}

/** Whether a value from a ledger or a bundle looks like audit settings: checks its lists and its jobs. */
export function isAuditSettings(value: unknown): value is AuditSettings {
  const { jobs, files, retention } = (value ?? {}) as Partial<AuditSettings>
  return (
    [jobs, files, retention].every(Array.isArray) &&
    (jobs ?? []).every(
      (job) => typeof job?.longest_wait_ms === 'number' && Array.isArray(job.streams),
    )
  )
}
