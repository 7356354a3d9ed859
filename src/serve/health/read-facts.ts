import { VERIFY_JOB } from '../../audit/verify/verifications.ts'
import type { HealthSettings } from '../../config/health-settings.ts'
import { ConfigurationError } from '../../core/errors.ts'
import { lowStretches } from '../../core/records/low-volume.ts'
import type { Due } from '../../core/time/due-times.ts'
import type { LowStretch } from '../../core/values/low-stretch.ts'
import { readRequests } from '../../erasure/sql/erasure-requests.ts'
import { refusedSince } from '../../sync/ledger/refused-streams.ts'
import { readFailure } from '../../sync/run/failure.ts'
import { EVIDENCE_JOB } from '../../sync/run-evidence.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import { DATABASE_RESTORED, refuseRestored } from '../../warehouse/ledger/lineage.ts'
import { ACCOUNT_ELSEWHERE } from '../../warehouse/ledger/moved.ts'
import { daysOfStreams } from '../../warehouse/load/daily-counts.ts'
import { attemptOf } from '../ledger/attempts.ts'
import { type JobRunRow, lastRuns, runSpans } from '../ledger/job-runs.ts'
import { lastAttempts, type TaskAttempt } from '../ledger/task-runs.ts'
import type {
  DropFacts,
  EvidenceRun,
  HealthFacts,
  JobFacts,
  LoginFacts,
  WorkAttempt,
  WorkFacts,
} from './facts.ts'
import { type LedgerStatus, readLedgers } from './read-ledgers.ts'

export interface HealthScope {
  account: string
  settings: HealthSettings
  /** The enabled jobs by name. */
  jobs: Readonly<Record<string, Due>>
  /** The enabled jobs that fetch files which expire. */
  fileJobs: readonly string[]
  /** See HealthFacts. */
  awakeMs: number | undefined
  /** The token kind of an app that needs a login by a person. */
  loginKind: string | undefined
  keepsEvidence: boolean
  /** The scheduled reports and tasks. */
  works: readonly Pick<WorkFacts, 'name' | 'kind'>[]
  hearsNotifications: boolean
}

/** The facts from an account's ledgers. `readHealth` adds the archive, the quotas and `setAside`. */
export interface LedgerFacts extends Omit<HealthFacts, 'archive' | 'quotas'> {
  ledgers: LedgerStatus
}

export async function readFacts(
  warehouse: Pick<Warehouse, 'db' | 'notes' | 'transaction' | 'elsewhere'>,
  scope: HealthScope,
): Promise<LedgerFacts> {
  const { db } = warehouse
  const { account, settings, loginKind } = scope
  const { spans, rows, ledgers } = await readRuns(warehouse, scope)
  const runs = Map.groupBy(rows, ({ job }) => job)
  const firsts = spans.filter(({ job }) => job !== VERIFY_JOB).map(({ first }) => Date.parse(first))
  const jobs = Object.entries(scope.jobs).map(([job, due]): JobFacts => {
    const lastComplete = spans.find((span) => span.job === job)?.lastComplete
    return {
      job,
      schedule: due.schedule,
      timezone: due.timezone,
      runs: (runs.get(job) ?? []).map((run) => ({
        ...attemptOf(run),
        id: run.id,
        running: run.state === 'running' && ledgers.syncingUntil !== undefined,
        failure: readFailure(run.failure),
      })),
      lastDoneMs: msOf(lastComplete),
      fetchesFiles: scope.fileJobs.includes(job),
    }
  })
  return {
    account,
    settings,
    // If another database cannot be reached, only this one decides whether the account may be used here.
    unusable: await refusalIn(warehouse, account).catch(() =>
      refusalIn({ ...warehouse, elsewhere: undefined }, account),
    ),
    firstMs: firsts.length > 0 ? Math.min(...firsts) : undefined,
    jobs,
    awakeMs: scope.awakeMs,
    ledgers,
    drops: dropsOf(ledgers),
    login: loginKind === undefined ? undefined : loginOf(ledgers, loginKind),
    refused: await readRefused(
      db,
      account,
      jobs.map(({ job }) => runs.get(job) ?? []),
    ),
    low: await readLow(db, scope),
    erasures: await readErasures(db, account),
    works: await readWorks(db, scope),
    evidence: scope.keepsEvidence ? (runs.get(EVIDENCE_JOB) ?? []).flatMap(evidenceOf) : [],
    verifications: (runs.get(VERIFY_JOB) ?? []).map((run) => ({
      runId: run.id,
      endedMs: Date.parse(run.started_at),
      findings: countOf(run.findings),
    })),
  }
}

/** Returns the error with which all work on the account is refused; undefined if work is possible. */
async function refusalIn(
  warehouse: Parameters<typeof refuseRestored>[0],
  account: string,
): Promise<HealthFacts['unusable']> {
  try {
    await refuseRestored(warehouse, account)
    return undefined
  } catch (error) {
    const refusals = [ACCOUNT_ELSEWHERE, DATABASE_RESTORED]
    if (error instanceof ConfigurationError && refusals.includes(error.code)) return error
    throw error
  }
}

/**
 * Reads everything in one snapshot. Otherwise a run that ended between two reads would look tried but not
 * complete, and a run that began between them would look dead.
 */
async function readRuns(
  { transaction }: Pick<Warehouse, 'transaction'>,
  { account, jobs }: HealthScope,
) {
  const names = [...Object.keys(jobs), EVIDENCE_JOB, VERIFY_JOB]
  return await transaction(
    async (tx) => ({
      spans: await runSpans(tx, account),
      rows: await lastRuns(tx, { account, jobs: names }),
      ledgers: await readLedgers(tx, account),
    }),
    { snapshot: true },
  )
}

/** Reads the attempts at the scheduled reports and tasks. */
async function readWorks(
  db: Warehouse['db'],
  { account, works }: HealthScope,
): Promise<WorkFacts[]> {
  if (works.length === 0) return []
  const tasks = works.map(({ name }) => name)
  const attempts = Map.groupBy(await lastAttempts(db, { account, tasks }), ({ task }) => task)
  return works.map((work) => ({
    ...work,
    attempts: (attempts.get(work.name) ?? []).map(workAttemptOf),
  }))
}

function workAttemptOf({ state, ending, error, endedAt }: TaskAttempt): WorkAttempt {
  const needsPerson = (ending as { kind?: unknown } | null)?.kind === 'person'
  const end = needsPerson ? 'person' : state === 'failed' ? 'failed' : 'well'
  return { endedMs: Date.parse(endedAt), end, error: error ?? '' }
}

/**
 * Finds streams with far fewer new records than usual. Omits streams of disabled jobs, and notifications if
 * no secret is set.
 */
async function readLow(db: Warehouse['db'], scope: HealthScope): Promise<LowStretch[]> {
  const days = await daysOfStreams(db, scope)
  const kept = days.filter(({ job, notifications }) =>
    notifications === true ? scope.hearsNotifications : job in scope.jobs,
  )
  return lowStretches(kept).filter(({ open }) => open)
}

/**
 * Returns the newest held-back deletion of each stream, and since when the oldest one waits. The rows are
 * sorted newest first.
 */
function dropsOf({ trippedGuards }: LedgerStatus): DropFacts[] {
  return [...Map.groupBy(trippedGuards, ({ stream }) => stream).values()].flatMap((drops) => {
    const [newest] = drops
    if (newest === undefined) return []
    const { at: _at, ...drop } = newest
    return [{ ...drop, sinceMs: Math.min(...drops.map(({ at }) => Date.parse(at))) }]
  })
}

function loginOf({ logins }: LedgerStatus, loginKind: string): LoginFacts {
  const login = logins.find(({ kind }) => kind === loginKind)
  if (login === undefined) return { state: 'missing', endsMs: undefined }
  const state = login.needsReauth === null ? 'held' : 'ended'
  return { state, endsMs: msOf(login.endsAt) }
}

/**
 * Judges refused streams by each job's last run that reached its end, because a failed run may not have
 * requested every stream.
 */
async function readRefused(
  db: Warehouse['db'],
  account: string,
  runs: readonly (readonly JobRunRow[])[],
): Promise<HealthFacts['refused']> {
  const endedAt = new Map<string, string>()
  const reasons = new Map<string, string>()
  for (const ofJob of runs) {
    const last = ofJob.findLast(({ state }) => state === 'complete' || state === 'incomplete')
    for (const [stream, reason] of Object.entries(last?.notAllowed ?? {})) {
      endedAt.set(stream, last?.finished_at ?? last?.started_at ?? '')
      reasons.set(stream, reason)
    }
  }
  if (endedAt.size === 0) return []
  const refused = await refusedSince(db, { account, streams: [...endedAt.keys()] })
  return refused.map(({ stream, lastRead, since }) => ({
    stream,
    wasRead: lastRead !== null,
    reason: reasons.get(stream) ?? '',
    sinceMs: Date.parse(since ?? endedAt.get(stream) ?? ''),
  }))
}

async function readErasures(
  db: Warehouse['db'],
  account: string,
): Promise<HealthFacts['erasures']> {
  const requests = await readRequests(db, account)
  return requests.map(({ id, state, requestedAt, dueAt, leftBehind }) => ({
    request: id,
    requestedMs: Date.parse(requestedAt),
    dueMs: Date.parse(dueAt),
    heldAlone: state === 'kept' && Object.keys(leftBehind ?? {}).length === 0,
  }))
}

/** Returns a finished run's evidence; none for an interrupted run, whose evidence the next run continues. */
function evidenceOf(run: JobRunRow): EvidenceRun[] {
  const { id, state, finished_at: endedAt, unexplained, unwitnessed } = run
  const endedMs = msOf(endedAt)
  if (endedMs === undefined) return []
  if (state !== 'complete' && state !== 'incomplete' && state !== 'failed') return []
  const facts = { unexplained: countOf(unexplained), unwitnessed: unwitnessed ?? undefined }
  return [{ runId: id, state, endedMs, ...facts }]
}

function countOf(value: unknown): number {
  return typeof value === 'number' ? value : 0
}

function msOf(instant: string | null | undefined): number | undefined {
  return instant === null || instant === undefined ? undefined : Date.parse(instant)
}
