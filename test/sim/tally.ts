import { jobs } from '../../src/account/catalog.ts'
import { FAULT_CLASSES, type FaultClass } from './plan.ts'
import type { Report } from './worker.ts'

/** What many seeds came to. */
export class Tally {
  seeds = 0
  readonly failed: Report[] = []
  readonly sums = {
    requests: 0,
    commits: 0,
    refusals: 0,
    crashes: 0,
    pauses: 0,
    readings: 0,
    edits: 0,
    virtualMs: 0,
  }
  readonly fired = new Map<FaultClass, number>(FAULT_CLASSES.map((name) => [name, 0]))

  /** By stream, in how many seeds rows of it were checked at their commit, and how many rows in all. */
  readonly checked = new Map(
    jobs.flatMap((job) => job.streams).map(({ name }) => [name, { seeds: 0, rows: 0 }]),
  )
  /** Seeds of fewer than four jobs, and those in which some large list had too few slices or pages. */
  small = 0

  add(report: Report): void {
    this.seeds++
    if (isSmall(report)) this.small++
    for (const [name, rows] of Object.entries(report.checked)) {
      const sum = this.checked.get(name)
      if (sum === undefined) throw new RangeError(`no job has a stream ${name}`)
      sum.seeds++
      sum.rows += rows
    }
    if (report.violations.length > 0) this.failed.push(report)
    for (const name of Object.keys(this.sums) as (keyof Tally['sums'])[])
      this.sums[name] += report[name]
    for (const [name, times] of Object.entries(report.fired))
      this.fired.set(name as FaultClass, (this.fired.get(name as FaultClass) ?? 0) + times)
  }

  /** Rows that were lost, doubled by a second version of the same content, or that no service ever had. */
  broken(invariant: RegExp): number {
    return this.failed
      .flatMap(({ violations }) => violations)
      .filter((text) => invariant.test(text)).length
  }

  /** The classes that struck less often than so many times. */
  tooSeldom(floor: number): FaultClass[] {
    return [...this.fired].filter(([, times]) => times < floor).map(([name]) => name)
  }

  /** In how many seeds a job's streams were checked; each of them, since one may stand for no other. */
  seedsOf(job: string): number {
    const streams = jobs.find(({ name }) => name === job)?.streams ?? []
    return Math.min(...streams.map(({ name }) => this.checked.get(name)?.seeds ?? 0))
  }

  /** The jobs that fewer seeds than so many went through. */
  jobsTooSeldom(floor: number): string[] {
    return jobs.map(({ name }) => name).filter((name) => this.seedsOf(name) < floor)
  }

  print(): string {
    const { requests, commits, crashes, pauses, edits, refusals, readings, virtualMs } = this.sums
    const rowsChecked = [...this.checked.values()].reduce((sum, { rows }) => sum + rows, 0)
    const days = Math.round(virtualMs / 86_400_000)
    const count = (value: number): string => value.toLocaleString('en-US')
    const faults = [...this.fired.values()].reduce((sum, times) => sum + times, 0)
    const lines = [
      [
        [this.seeds, 'seeds'],
        [days, 'days of virtual time'],
      ],
      [
        [requests, 'API calls'],
        [commits, 'commits'],
        [rowsChecked, 'rows checked at their commit'],
      ],
      [
        [faults, `faults of ${this.fired.size} classes`],
        [crashes, 'crashes'],
        [pauses, 'pauses'],
      ],
      [
        [edits, 'edits at the source'],
        [refusals, 'times that a stream was not allowed'],
        [readings, 'readings of the documents that were not as usual'],
      ],
      [
        [this.broken(/is lost$/), 'rows lost'],
        [this.broken(/written of nothing new/), 'written twice'],
        [this.broken(/phantom|^I2/), 'phantom'],
      ],
      [
        [
          this.small,
          'seeds with fewer than 4 jobs, or with fewer than 3 slices of 4 pages in a large list',
        ],
      ],
      [[this.failed.length, 'seeds failed']],
    ] as const
    return lines
      .map((line) => `  ${line.map(([value, what]) => `${count(value)} ${what}`).join(', ')}`)
      .join('\n')
  }

  /** How often each class struck. */
  printFaults(): string {
    return inColumns([...this.fired])
  }

  /** How many seeds went through all that each job reads. */
  printJobs(): string {
    return inColumns(jobs.map(({ name }) => [name, this.seedsOf(name)]))
  }
}

function inColumns(counts: readonly (readonly [string, number])[]): string {
  const columns = counts.map(([name, times]) => `${name.padEnd(20)}${String(times).padStart(8)}`)
  const half = Math.ceil(columns.length / 2)
  return columns
    .slice(0, half)
    .map((left, at) => `  ${left}    ${columns[half + at] ?? ''}`.trimEnd())
    .join('\n')
}

/** What is small on purpose is not measured: its rows are asked for one by one. */
function isSmall({ jobs: read, longLists }: Report): boolean {
  const measured = LARGE.filter(
    ({ job, unless }) => read.includes(job) && !(unless !== undefined && read.includes(unless)),
  )
  return read.length < 4 || measured.some(({ list }) => (longLists[list] ?? 0) < 3)
}

/** A snapshot, windows, a fan-out, and windows with a trash beside them. */
const LARGE: readonly { job: string; list: string; unless?: string }[] = [
  { job: 'users', list: '/v2/users', unless: 'user-details' },
  { job: 'session-reports', list: '/v2/videosdk/sessions' },
  { job: 'whiteboard-archives', list: '/v2/whiteboards/sessions/*' },
  { job: 'recordings', list: '/v2/videosdk/recordings', unless: 'recording-details' },
]
