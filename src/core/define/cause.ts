import { duration } from '../values/quantities.ts'

/** Why an account, or the whole installation, is unhealthy. */
export type CauseCode = keyof typeof RESOLVED

/** Contains no secret and no personal data, because it is mailed, shown on pages and logged. */
export interface Cause {
  code: CauseCode
  /** Undefined if the cause concerns the whole installation. */
  account: string | undefined
  /** What is affected, e.g. a job, or the error of several. Code, account and subject identify a cause. */
  subject: string
  /** Red: data or a report is missing, or will be unless somebody acts. Amber: any other problem. */
  level: 'red' | 'amber'
  sentence: string
  /** The remedy, as one sentence or a command. */
  todo: string
  /** When it began, in epoch milliseconds, as far as the ledgers show. */
  sinceMs: number
  /**
   * Set if the cause must raise no new alert; an open alert stays open. `untried`: the jobs have not been
   * tried since the service started or the machine woke up. `follows`: it results from another cause.
   */
  quiet?: 'untried' | 'follows' | undefined
}

/** Returns a name of the cause that stays the same until the cause is resolved. */
export function nameOfCause({ code, account = '', subject }: Cause): string {
  return JSON.stringify([code, account, subject])
}

/** Describes what works again once a cause is resolved, and how long the cause lasted. */
export function resolvedText({ code, subject, sinceMs }: Cause, nowMs: number): string {
  const { again, was } = RESOLVED[code]
  return `${again(subject)} (${was} for ${duration(nowMs - sinceMs)})`
}

interface Resolved {
  again(subject: string): string
  was: string
}

/** Texts that report the end of a cause. Their only variable part is the cause's subject. */
const RESOLVED = {
  account_elsewhere: {
    again: () => 'the account is in the database that its setting names',
    was: 'stopped',
  },
  archive_expiring: { again: () => 'no archived file is about to expire', was: 'at risk' },
  database_away: { again: (host) => `the database is reachable from ${host} again`, was: 'away' },
  database_restored: { again: () => 'work has resumed after the restore', was: 'stopped' },
  disk_low: { again: (places) => `the disk of ${places} has enough free space again`, was: 'low' },
  drop_waiting: {
    again: (stream) => `no deletions of ${stream} wait for approval`,
    was: 'waiting',
  },
  erasure_due: { again: (request) => `erasure ${request} is done`, was: 'due' },
  evidence_broken: { again: (part) => `the ${part} is healthy again`, was: 'broken' },
  job_failing: { again: (reason) => SHARED[reason] ?? ownEnd(reason), was: 'blocked' },
  job_overdue: { again: () => 'jobs run on time again', was: 'overdue' },
  login_ended: { again: () => 'the login works again', was: 'ended' },
  not_allowed: { again: (why) => `requests are no longer refused for ${why}`, was: 'refused' },
  records_quarantined: {
    again: (stream) => `all records of ${stream} can be stored again`,
    was: 'partly quarantined',
  },
  report_failing: {
    again: (name) => `the report ${name} is made and delivered again`,
    was: 'failing',
  },
  task_failing: { again: (name) => `the task ${name} succeeds again`, was: 'failing' },
  volume_low: { again: (what) => `the volume of ${what} is back to normal`, was: 'low' },
  quota_short: { again: (pool) => `the daily quota of ${pool} suffices again`, was: 'short' },
} as const satisfies Record<string, Resolved>

/** Texts for the errors that make every job of an account fail, by error code. */
const SHARED: Readonly<Record<string, string>> = {
  invalid_client: 'the service accepts the client secret again',
  invalid_grant: 'the service issues tokens for the account again',
  needs_reauth: 'the login works again',
  redirected: 'the authorization server is reachable at its URL again',
  secret_unavailable: 'the secret can be read again',
  key_unreadable: 'the key can be read again',
  rate_limited: 'the service accepts the call rate again',
  service_unavailable: 'the service is available again',
  tls: "the service's certificate is valid again",
  'HTTP 401': 'the service accepts the token again',
}

/** `reason` is a job's name, or an error code that several jobs share; only codes contain `_` or a blank. */
function ownEnd(reason: string): string {
  return /[_ ]/.test(reason) ? `no job fails with ${reason}` : `the job ${reason} completes again`
}
