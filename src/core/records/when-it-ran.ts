import type { Window } from '../time/spans.ts'
import { DAY_MS } from '../time/time.ts'
import type { AuditedJob, AuditSettings } from './audit-settings.ts'

/** The audit settings from an instant on. */
export interface Audited {
  since: string
  settings: AuditSettings
}

/** When a run of a job began, and until when it is known to have run. */
export interface RunSpan extends Window {
  job: string
}

/** The runs of the job that reads a stream. */
export interface Ran {
  runs: number
  /** The first and the last start among the known runs: those of the period, one before and one after. */
  first: string | null
  last: string | null
  /** The gaps between runs that exceed the allowed time and overlap the period. */
  gaps: { from: string; to: string }[]
}

/** A period, and until when runs are known. */
export interface RunPeriod {
  from: string
  to: string
  known_to: string
}

/** A row of the ledger of runs as a run of its job; undefined for a partial run or one with invalid times. */
export function jobRun(row: Readonly<Record<string, unknown>>): RunSpan | undefined {
  const { job, state, partial, started_at: started, finished_at: finished } = row
  const fromMs = Date.parse(String(started))
  // A killed run is closed by the next one, so its recorded end does not show how long it ran.
  const toMs = state === 'interrupted' ? fromMs : Date.parse(String(finished))
  return partial !== true && fromMs <= toMs ? { job: String(job), fromMs, toMs } : undefined
}

/**
 * Returns when the job that reads a stream ran, and the gaps that are longer than the audit settings allow;
 * undefined without audit settings. From the first settings on, a run missing from `runs` makes a gap longer,
 * never shorter: without an earlier run, the first gap begins with the first settings.
 */
export function whenItRan(
  stream: string,
  { audited, runs }: { audited: readonly Audited[]; runs: readonly RunSpan[] },
  { from, to, known_to: end }: RunPeriod,
): Ran | undefined {
  const [settings] = audited
  if (settings === undefined) return undefined
  const jobs = jobsReading(stream, audited)
  const own = runs.filter(({ job }) => jobs.includes(job)).toSorted((a, b) => a.fromMs - b.fromMs)
  const [first] = own
  const gaps: Ran['gaps'] = []
  let reached = Math.min(first?.toMs ?? Number.POSITIVE_INFINITY, Date.parse(settings.since))
  for (const { fromMs, toMs } of [...own, { fromMs: Date.parse(end), toMs: 0 }]) {
    if (fromMs - reached > dueWithinMs(audited, stream, reached))
      gaps.push({ from: iso(reached), to: iso(fromMs) })
    reached = Math.max(reached, toMs)
  }
  const touches = (gap: { from: string; to: string }): boolean =>
    Date.parse(gap.from) < Date.parse(to) && Date.parse(gap.to) > Date.parse(from)
  return {
    runs: own.length,
    first: first === undefined ? null : iso(first.fromMs),
    last: first === undefined ? null : iso(own.at(-1)?.fromMs ?? first.fromMs),
    gaps: gaps.filter(touches),
  }
}

/** The jobs that read a stream according to any of the settings. */
export function jobsReading(
  stream: string,
  audited: readonly Pick<Audited, 'settings'>[],
): string[] {
  return [...new Set(audited.flatMap((one) => jobOf(one, stream)?.job ?? []))]
}

/** How long after an instant the next run must have begun, by the settings in force then, or the first. */
export function dueWithinMs(audited: readonly Audited[], stream: string, atMs: number): number {
  const inForce = audited.findLast(({ since }) => Date.parse(since) <= atMs) ?? audited[0]
  const job = inForce && jobOf(inForce, stream)
  return (job?.enabled === true ? job.longest_wait_ms : DAY_MS) + GRACE_MS
}

function jobOf({ settings }: Pick<Audited, 'settings'>, stream: string): AuditedJob | undefined {
  return settings.jobs.find(({ streams }) => streams.some((one) => one.stream === stream))
}

const iso = (ms: number): string => new Date(ms).toISOString()
/** How late a run may begin: it may wait for another run of its account, or in the queue. */
const GRACE_MS = 3_600_000
