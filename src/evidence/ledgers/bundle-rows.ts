import type { AuditedJob, AuditSettings } from '../../core/records/audit-settings.ts'
import { parsed } from '../entry.ts'

/** What was audited from an instant on. */
export interface Audited {
  since: string
  settings: AuditSettings
}

/** When the job ran that reads the sessions. */
export interface Ran {
  runs: number
  /** The first and the last start of a run in the bundle: the runs of its days, one before and one after. */
  first: string | null
  last: string | null
  /** The times that touch the bundle's days, in which nothing ran for longer than was due. */
  gaps: { from: string; to: string }[]
}

/** The days of a bundle, and when it was made. */
export interface Period {
  from: string
  to: string
  exported_at: string
}

interface Run {
  job: string
  fromMs: number
  toMs: number
}

/** Rows of ledgers, each of which a signed entry states: runs, and what was audited. */
export class BundleRows {
  readonly #runs: Run[] = []
  readonly #audited: Audited[] = []

  /** `subject` is that of the entry, e.g. `ledger/runs/12`. */
  add(subject: string, line: string): void {
    const row = (parsed(line) ?? {}) as Record<string, unknown>
    const [, ledger] = subject.split('/')
    const sinceMs = Date.parse(String(row.at))
    if (ledger === 'settings' && isSettings(row.settings) && Number.isFinite(sinceMs))
      this.#audited.push({ since: iso(sinceMs), settings: row.settings })
    if (ledger !== 'runs' || row.partial === true) return
    const { job, state, started_at: started, finished_at: finished } = row
    const fromMs = Date.parse(String(started))
    // One that was killed is closed by the next, so that its end says nothing of how long it ran.
    const toMs = state === 'interrupted' ? fromMs : Date.parse(String(finished))
    if (fromMs <= toMs) this.#runs.push({ job: String(job), fromMs, toMs })
  }

  /** What was audited, oldest first. */
  audited(): Audited[] {
    return this.#audited.toSorted((a, b) => Date.parse(a.since) - Date.parse(b.since))
  }

  /**
   * When the job ran that reads a stream; undefined where the bundle does not say what is audited. A run that
   * is not in the bundle makes a gap longer, never shorter.
   */
  ran(stream: string, { from, to, exported_at: at }: Period): Ran | undefined {
    const audited = this.audited()
    if (audited.length === 0) return undefined
    const jobs = new Set(audited.flatMap((one) => jobOf(one, stream)?.job ?? []))
    const runs = this.#runs
      .filter(({ job }) => jobs.has(job))
      .toSorted((a, b) => a.fromMs - b.fromMs)
    const [first] = runs
    const gaps: Ran['gaps'] = []
    let reached = first?.toMs ?? Number.NaN
    const end = { fromMs: Date.parse(at), toMs: 0 }
    for (const run of [...runs, end]) {
      if (run.fromMs - reached > waitMs(audited, stream, reached) + GRACE_MS)
        gaps.push({ from: iso(reached), to: iso(run.fromMs) })
      reached = Math.max(reached, run.toMs)
    }
    const touches = (gap: { from: string; to: string }): boolean =>
      Date.parse(gap.from) < Date.parse(to) && Date.parse(gap.to) > Date.parse(from)
    return {
      runs: runs.length,
      first: first === undefined ? null : iso(first.fromMs),
      last: first === undefined ? null : iso(runs.at(-1)?.fromMs ?? first.fromMs),
      gaps: gaps.filter(touches),
    }
  }
}

/** As was configured at an instant; before the first word on it, as that says. */
function waitMs(audited: readonly Audited[], stream: string, atMs: number): number {
  const inForce = audited.findLast(({ since }) => Date.parse(since) <= atMs) ?? audited[0]
  const job = inForce && jobOf(inForce, stream)
  return job?.enabled === true ? job.longest_wait_ms : DAY_MS
}

function jobOf({ settings }: Audited, stream: string): AuditedJob | undefined {
  return settings.jobs.find(({ streams }) => streams.some((one) => one.stream === stream))
}

function isSettings(value: unknown): value is AuditSettings {
  const { jobs, files, retention } = (value ?? {}) as Partial<AuditSettings>
  return (
    [jobs, files, retention].every(Array.isArray) &&
    (jobs ?? []).every(
      (job) => typeof job?.longest_wait_ms === 'number' && Array.isArray(job.streams),
    )
  )
}

const iso = (ms: number): string => new Date(ms).toISOString()
const DAY_MS = 86_400_000
/** A run may wait for another of its account, or for its turn. */
const GRACE_MS = 3_600_000
