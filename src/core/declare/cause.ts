/** Why an account, or the whole installation, is not well. */
export type CauseCode =
  | 'archive_expiring'
  | 'database_away'
  | 'database_restored'
  | 'disk_low'
  | 'drop_waiting'
  | 'erasure_due'
  | 'evidence_broken'
  | 'job_failing'
  | 'job_overdue'
  | 'login_ended'
  | 'not_allowed'
  | 'notifications_silent'
  | 'quota_short'

/**
 * One cause. Its text holds no secret and no personal data, because it is sent by mail, put on pages and
 * logged.
 */
export interface Cause {
  code: CauseCode
  /** Undefined: it concerns the whole installation. */
  account: string | undefined
  /** What it concerns within the account: a job, a stream, a label. Code, account and subject identify it. */
  subject: string
  /** Red: data is missing, or will be lost unless somebody acts. Amber: it is not, yet. */
  level: 'red' | 'amber'
  /** One sentence that says what is wrong. */
  sentence: string
  /** What a person should do, as one sentence or a command. */
  todo: string
  /** Epoch milliseconds since when it has been so, as far as the ledgers tell. */
  sinceMs: number
}

/** The same cause has the same name until it is mended. */
export function nameOfCause({ code, account = '', subject }: Cause): string {
  return JSON.stringify([code, account, subject])
}
