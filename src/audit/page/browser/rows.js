/**
 * Rows of ledgers, as the entries state them: when it ran, and what was audited.
 *
 * @typedef {{ job: string, enabled: boolean, longest_wait_ms: number, streams: { stream: string }[] }} Job
 * @typedef {{ jobs: Job[], files: { kind: string }[], retention: { keep_days: number }[] }} Settings
 * @typedef {{ since: string, settings: Settings }} Audited
 * @typedef {{ runs: number, first: string | null, last: string | null,
 *   gaps: { from: string, to: string }[] }} Ran
 */

class Rows {
  /** @type {{ job: string, from: number, to: number }[]} */
  #runs = []
  /** @type {Audited[]} */
  #audited = []

  /** @param {string} subject  of the entry, e.g. ledger/runs/12 @param {string} line */
  add(subject, line) {
    const row = parsed(line) ?? {}
    const [, ledger] = subject.split('/')
    const since = Date.parse(row.at)
    if (ledger === 'settings' && isSettings(row.settings) && Number.isFinite(since))
      this.#audited.push({ since: new Date(since).toISOString(), settings: row.settings })
    if (ledger !== 'runs' || row.partial === true) return
    const from = Date.parse(row.started_at)
    // One that was killed is closed by the next, so that its end says nothing of how long it ran.
    const to = row.state === 'interrupted' ? from : Date.parse(row.finished_at)
    if (from <= to) this.#runs.push({ job: String(row.job), from, to })
  }

  /** What was audited, oldest first. */
  audited() {
    return this.#audited.toSorted((one, other) => Date.parse(one.since) - Date.parse(other.since))
  }

  /**
   * When the job ran that reads a stream. A run that is not in the bundle makes a gap longer, never shorter.
   *
   * @param {string} stream
   * @param {Record<string, any>} facts
   * @returns {Ran | undefined}
   */
  ran(stream, facts) {
    const audited = this.audited()
    if (audited.length === 0) return undefined
    const jobs = new Set(audited.map(({ settings }) => jobOf(settings, stream)?.job))
    const runs = this.#runs
      .filter(({ job }) => jobs.has(job))
      .toSorted((one, other) => one.from - other.from)
    /** @type {Ran['gaps']} */
    const gaps = []
    let reached = runs[0]?.to ?? Number.NaN
    for (const { from, to } of [...runs, { from: Date.parse(facts.exported_at), to: 0 }]) {
      if (from - reached > waitOf(audited, stream, reached) + HOUR)
        gaps.push({ from: new Date(reached).toISOString(), to: new Date(from).toISOString() })
      reached = Math.max(reached, to)
    }
    const at = (/** @type {number} */ index) => {
      const run = runs.at(index)
      return run === undefined ? null : new Date(run.from).toISOString()
    }
    return {
      runs: runs.length,
      first: at(0),
      last: at(-1),
      gaps: gaps.filter(
        ({ from, to }) =>
          Date.parse(from) < Date.parse(facts.to) && Date.parse(to) > Date.parse(facts.from),
      ),
    }
  }
}

/**
 * As was configured at an instant; before the first word on it, as that says.
 *
 * @param {readonly Audited[]} audited
 * @param {string} stream
 * @param {number} at
 */
function waitOf(audited, stream, at) {
  const inForce = audited.findLast(({ since }) => Date.parse(since) <= at) ?? audited[0]
  const job = inForce && jobOf(inForce.settings, stream)
  return job?.enabled === true ? job.longest_wait_ms : 24 * HOUR
}

/** @param {Settings} settings @param {string} stream */
function jobOf({ jobs }, stream) {
  return jobs.find(({ streams }) => streams.some((one) => one.stream === stream))
}

/** @param {unknown} value @returns {value is Settings} */
function isSettings(value) {
  const { jobs, files, retention } = /** @type {Record<string, any>} */ (value ?? {})
  return (
    [jobs, files, retention].every((list) => Array.isArray(list)) &&
    jobs.every(
      (/** @type {any} */ job) =>
        typeof job?.longest_wait_ms === 'number' && Array.isArray(job.streams),
    )
  )
}

const HOUR = 3_600_000
