import { FAULT_CLASSES, type FaultClass } from './plan.ts'
import type { Report } from './worker.ts'

/** What many seeds came to. */
export class Tally {
  seeds = 0
  readonly failed: Report[] = []
  readonly sums = {
    requests: 0,
    commits: 0,
    rowsChecked: 0,
    crashes: 0,
    pauses: 0,
    edits: 0,
    virtualMs: 0,
  }
  readonly fired = new Map<FaultClass, number>(FAULT_CLASSES.map((name) => [name, 0]))

  /** Seeds in which some stream had fewer than three slices of four pages. */
  small = 0

  add(report: Report): void {
    this.seeds++
    if (LISTS.some((list) => (report.longLists[list] ?? 0) < 3)) this.small++
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

  print(): string {
    const { requests, commits, rowsChecked, crashes, pauses, edits, virtualMs } = this.sums
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
      [[edits, 'edits at the source']],
      [
        [this.broken(/is lost$/), 'rows lost'],
        [this.broken(/written of nothing new/), 'written twice'],
        [this.broken(/phantom|^I2/), 'phantom'],
      ],
      [[this.small, 'seeds with fewer than 4 streams of 3 slices of 4 pages']],
      [[this.failed.length, 'seeds failed']],
    ] as const
    return lines
      .map((line) => `  ${line.map(([value, what]) => `${count(value)} ${what}`).join(', ')}`)
      .join('\n')
  }

  printFaults(): string {
    const columns = [...this.fired].map(
      ([name, times]) => `${name.padEnd(20)}${String(times).padStart(8)}`,
    )
    const half = Math.ceil(columns.length / 2)
    return columns
      .slice(0, half)
      .map((left, at) => `  ${left}    ${columns[half + at] ?? ''}`.trimEnd())
      .join('\n')
  }
}

/** A snapshot, windows, a fan-out, and windows with a trash beside them. */
const LISTS = [
  '/v2/users',
  '/v2/videosdk/sessions',
  '/v2/whiteboards/sessions/*',
  '/v2/videosdk/recordings',
]
