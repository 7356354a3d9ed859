import { type Figure, mebibytes } from './figures.ts'
import { type Measured, median, type Round } from './measure-source.ts'
import type { Spent } from './spent.ts'
import type { Reading } from './stage.ts'

/** From each size to the next: a row takes as much time as before it, and the memory of its fingerprints. */
export function growthFigures(all: readonly Measured[]): Figure[] {
  return all.flatMap((large, at) => {
    const small = all[at - 1]
    return small === undefined || large.rows < 2 * small.rows ? [] : growth(small, large)
  })
}

function growth(small: Measured, large: Measured): Figure[] {
  const span = `${small.source}, ${small.rows.toLocaleString('en')} to ${large.rows.toLocaleString('en')}`
  const steps: [string, string, (measured: Measured) => Growing][] = [
    ['first load', 'COPY', ofFirstLoad],
    ['unchanged', 'the drain', ofRounds],
  ]
  return steps.flatMap(([step, name, of]) => {
    const [from, to] = [of(small), of(large)]
    const time = timeFigure(`${span}: time a row, ${step}`, { from, to, name })
    const cpu = cpuFigure(`${span}: CPU a row, ${step}, with Postgres`, from, to)
    if (small.rows < FULL_HEIGHT_ROWS) return [time, cpu]
    const bytes = (to.peakBytes - from.peakBytes) / (large.rows - small.rows)
    const memory = {
      what: `${span}: memory a row, ${step}`,
      measured: `${Math.round(bytes)} bytes`,
      beside: `${mebibytes(from.peakBytes)} to ${mebibytes(to.peakBytes)}`,
      target: `<= ${ROW_BYTES} bytes`,
      met: bytes <= ROW_BYTES,
    }
    return [time, cpu, memory]
  })
}

/** `name` is what stands beside it. */
function timeFigure(
  what: string,
  { from, to, name }: { from: Growing; to: Growing; name: string },
): Figure {
  const bend = timeOfRow(to.ours) / timeOfRow(from.ours)
  const besideBend = timeOfRow(to.beside) / timeOfRow(from.beside)
  return {
    what,
    measured: `${bend.toFixed(2)} x`,
    beside:
      `${timeOfRow(from.ours).toFixed(1)} to ${timeOfRow(to.ours).toFixed(1)} microseconds; ` +
      `${name} ${besideBend.toFixed(2)} x`,
    target: '<= 1.25',
    met: bend <= 1.25,
  }
}

/** Of the process and of Postgres: what else the machine does weighs less on it than on the time. */
function cpuFigure(what: string, { ours: from }: Growing, { ours: to }: Growing): Figure {
  const bend = cpuOfRow(to) / cpuOfRow(from)
  return {
    what,
    measured: `${bend.toFixed(2)} x`,
    beside: `${cpuOfRow(from).toFixed(1)} to ${cpuOfRow(to).toFixed(1)} microseconds`,
    target: '<= 1.3',
    met: bend <= 1.3,
  }
}

/** One step at one size, and what bends where the machine itself does. */
interface Growing {
  ours: Reading
  beside: Spent
  /** The most that any of its processes came to: where garbage lets memory swing, one alone is luck. */
  peakBytes: number
}

function ofFirstLoad({ first, copy, loads }: Measured): Growing {
  return { ours: first, beside: copy, peakBytes: largestPeak(loads.map((load) => load.first)) }
}

function ofRounds({ rounds }: Measured): Growing {
  const { unchanged, drain } = median(rounds, drainRatio)
  return {
    ours: unchanged,
    beside: drain,
    peakBytes: largestPeak(rounds.map((round) => round.unchanged)),
  }
}

export function largestPeak(all: readonly Spent[]): number {
  return Math.max(...all.map(({ peakBytes }) => peakBytes))
}

/** By it the middle round is chosen. */
export function drainRatio({ drain, unchanged }: Round): number {
  return drain.wallMs / unchanged.wallMs
}

/** Up to a million rows, and what the fingerprints of more may take. */
export function memoryLimit(rows: number): number {
  return 300 * 2 ** 20 + ROW_BYTES * Math.max(0, rows - FULL_HEIGHT_ROWS)
}

function cpuOfRow({ cpuMs, postgresCpuMs = 0, rows }: Reading): number {
  return ((cpuMs + postgresCpuMs) * 1000) / rows
}

function timeOfRow({ wallMs, rows }: Spent): number {
  return (wallMs * 1000) / rows
}

/** The two hashes and the order of a row, and an index over each hash while it grows. */
const ROW_BYTES = 36 + 2 * 8
/** Fewer are read in seconds, in which not even what does not grow with them comes to its height. */
const FULL_HEIGHT_ROWS = 1_000_000
