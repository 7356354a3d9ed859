import type { AccountSnapshot, JobSnapshot } from '../health/snapshot.ts'
import { instantSeconds, type Metric, perAccount, type Series, seconds } from './metric.ts'

export const JOB_METRICS: readonly Metric[] = [
  perJob(
    'callsheet_job_last_complete_timestamp_seconds',
    'When the last complete run of the whole job ended.',
    ({ lastComplete }) => instantSeconds(lastComplete?.finishedAt),
  ),
  perJob(
    'callsheet_job_last_complete_duration_seconds',
    'How long the last complete run of the whole job took.',
    ({ lastComplete }) =>
      lastComplete &&
      seconds(Date.parse(lastComplete.finishedAt) - Date.parse(lastComplete.startedAt)),
  ),
  perJob(
    'callsheet_job_next_start_timestamp_seconds',
    'When the enabled job starts next, as far as the ledger tells.',
    ({ due }) => seconds(due?.nextStartMs),
  ),
  perJob(
    'callsheet_job_overdue_seconds',
    'How long the enabled job has been due; 0 once a run that began after its due time was complete.',
    ({ due }) => seconds(due?.overdueMs),
  ),
  perAccount(
    {
      name: 'callsheet_job_last_run_state',
      help: '1 for the state of the last run of the job, 0 for all other states.',
      labels: ['job', 'state'],
    },
    ({ jobs }) =>
      jobs.flatMap(({ job, lastRun }) =>
        lastRun === undefined
          ? []
          : RUN_STATES.map((state) => [{ job, state }, lastRun.state === state ? 1 : 0] as const),
      ),
  ),
  perAccount(
    {
      name: 'callsheet_stream_rows',
      help: 'Rows that are present in the table of the stream, without deleted ones.',
      labels: ['stream'],
    },
    ({ jobs }) => streamsOf(jobs).map(({ stream, rows }) => [{ stream }, rows] as const),
  ),
  perAccount(
    {
      name: 'callsheet_stream_slices',
      help: 'Slices that are kept up, by the state of their last read.',
      labels: ['stream', 'state'],
    },
    ({ jobs }) =>
      streamsOf(jobs).flatMap(
        ({ stream, slices, failed, notAllowed }): Series => [
          [{ stream, state: 'complete' }, slices - failed - notAllowed],
          [{ stream, state: 'failed' }, failed],
          [{ stream, state: 'not_allowed' }, notAllowed],
        ],
      ),
  ),
]

function perJob(name: string, help: string, of: (job: JobSnapshot) => number | undefined): Metric {
  return perAccount({ name, help, labels: ['job'] }, ({ jobs }) =>
    jobs.map((job) => [{ job: job.job }, of(job)] as const),
  )
}

/** Returns each stream once, because two jobs may read one stream. */
function streamsOf(jobs: AccountSnapshot['jobs']): JobSnapshot['streams'][number][] {
  const streams = jobs.flatMap(({ streams: own }) => own)
  return [...new Map(streams.map((stream) => [stream.stream, stream])).values()]
}

const RUN_STATES = ['running', 'complete', 'incomplete', 'paused', 'failed', 'interrupted'] as const
