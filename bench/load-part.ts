import { type Figure, mebibytes, ratioFigure, seconds, type Table } from './figures.ts'
import { drainRatio, growthFigures, largestPeak, memoryLimit } from './load-growth.ts'
import { type Measured, measureSource, median, type Round } from './measure-source.ts'
import type { Part, PartOptions } from './part.ts'
import { sources } from './sources.ts'
import type { Spent } from './spent.ts'
import type { Cost, Reading } from './stage.ts'

export const loadPart: Part = {
  about: 'first load and re-reading, memory and growth, beside COPY, a script and the drain',
  async measure(options) {
    const figures: Figure[] = []
    const tables: Table[] = []
    const chosen = options.source === undefined ? Object.keys(sources) : [options.source]
    for (const source of chosen) {
      const all: Measured[] = []
      for (const rows of sizes(options)) all.push(await measureSource(source, rows, options))
      for (const measured of all) {
        tables.push(costTable(measured))
        figures.push(...speedFigures(measured))
      }
      figures.push(...growthFigures(all))
      if (tables.length > all.length) continue
      tables.unshift({ title: 'Postgres', lines: [['settings'], [all[0]?.settings ?? '']] })
    }
    return { figures, tables }
  },
}

/** Each is the measure of how time and memory grow to the next. */
function sizes({ rows, quick }: PartOptions): number[] {
  const own = quick ? [20_000, 100_000] : [100_000, 1_000_000]
  return rows === undefined ? own : [...own.filter((size) => size < rows), rows]
}

function costTable({ source, rows, rounds, ...measured }: Measured): Table {
  const { unchanged, drain, changed, again } = median(rounds, drainRatio)
  const steps: [string, Spent | Cost][] = [
    ['first load: ours', measured.first],
    ['first load: COPY of the same rows', measured.copy],
    ['first load: plain script', measured.scriptFirst],
    ['unchanged: ours', unchanged],
    ['unchanged: drain of the same pages', drain],
    ['unchanged: plain script', measured.scriptAgain],
    ['1 % changed or deleted: ours', changed],
    ['the reading after that: ours', again],
  ]
  const lines = steps.map(([what, cost]) => lineOf(what, cost))
  const title = `${sources[source]?.title}: ${rows.toLocaleString('en')} rows`
  return { title, lines: [HEADER, ...lines] }
}

const HEADER = [
  'step',
  'rows',
  'wall',
  'rows/s',
  'calls',
  'CPU s / 100,000',
  'of Postgres',
  'rows written',
  'WAL',
  'whole pages in it',
  'peak memory',
]

function lineOf(what: string, cost: Spent | Cost): string[] {
  const { rows, pages, wallMs, cpuMs, peakBytes } = cost
  const per100k = (ms: number | undefined): string =>
    ms === undefined ? '' : ((ms / rows) * 100).toFixed(2)
  const stored = 'walBytes' in cost ? cost : undefined
  return [
    what,
    rows.toLocaleString('en'),
    seconds(wallMs),
    Math.round((rows * 1000) / wallMs).toLocaleString('en'),
    pages === 0 ? '' : pages.toLocaleString('en'),
    per100k(cpuMs),
    per100k(stored?.postgresCpuMs),
    stored === undefined ? '' : stored.rowsWritten.toLocaleString('en'),
    stored === undefined ? '' : mebibytes(stored.walBytes),
    stored === undefined ? '' : stored.pageImages.toLocaleString('en'),
    mebibytes(peakBytes),
  ]
}

function speedFigures(measured: Measured): Figure[] {
  const { source, rows, first, copy, scriptFirst, scriptAgain, rounds } = measured
  const named = (what: string): string => `${source}, ${rows.toLocaleString('en')}: ${what}`
  const rate = (cost: Spent): number => (cost.rows * 1000) / cost.wallMs
  const { unchanged, drain } = median(rounds, drainRatio)
  // Pages, since the margins of windows show some rows twice, to the drain as to us.
  const drained = { ...drain, rows: unchanged.rows }
  const against = (ours: Spent, limits: Limit[]): Figure[] =>
    limits.map(({ what, name, least, other }) =>
      ratioFigure(named(what), { rate: rate(ours), beside: rate(other), name }, least),
    )
  return [
    ...against(first, [
      { what: 'first load', name: 'COPY', least: 0.4, other: copy },
      { what: 'first load', name: 'the script', least: 2, other: scriptFirst },
    ]),
    ...against(unchanged, [
      { what: 'unchanged', name: 'the drain', least: 0.5, other: drained },
      { what: 'unchanged', name: 'the script', least: 5, other: scriptAgain },
    ]),
    ...restFigures(measured, named),
  ]
}

interface Limit {
  what: string
  name: string
  least: number
  other: Spent
}

function restFigures(measured: Measured, named: (what: string) => string): Figure[] {
  const { loads, rounds, rows } = measured
  const { unchanged } = median(rounds, ({ unchanged: { walBytes } }) => walBytes)
  const slower = (round: Round): number => round.changed.wallMs / round.unchanged.wallMs
  const middle = median(rounds, slower)
  const peak = largestPeak([
    ...loads.map(({ first }) => first),
    ...rounds.flatMap((round) => [round.unchanged, round.changed]),
  ])
  const { ledgerWalBytes: ledgerBytes, slices } = unchanged
  const walPerSlice = ledgerBytes === undefined ? undefined : ledgerBytes / slices
  return [
    {
      what: named('unchanged, rows written'),
      measured: `${unchanged.rowsWritten}`,
      beside: `${unchanged.unchanged.toLocaleString('en')} found unchanged`,
      target: '0',
      met: unchanged.rowsWritten === 0,
    },
    {
      what: named('unchanged, WAL a slice'),
      measured:
        walPerSlice === undefined ? 'not read back' : `${(walPerSlice / 1024).toFixed(2)} KB`,
      beside: `${ledgerBytes ?? '?'} bytes for ${slices} slices; ${unchanged.walBytes} the whole run`,
      target: '<= 0.5 KB',
      met: walPerSlice !== undefined && walPerSlice <= 512,
    },
    {
      what: named('1 % changed or deleted'),
      measured: `${slower(middle).toFixed(2)} x unchanged`,
      beside:
        `${seconds(middle.changed.wallMs)} to ${seconds(middle.unchanged.wallMs)}, ` +
        `${middle.changed.changed} changed, ${middle.changed.gone + middle.again.gone} deleted`,
      target: '<= 1.25',
      met: slower(middle) <= 1.25,
    },
    ...cpuFigures(rounds, named),
    callsFigure(named('first load, calls'), measured, measured.first),
    callsFigure(named('unchanged, calls'), measured, unchanged),
    {
      what: named('peak memory'),
      measured: mebibytes(peak),
      beside: 'of the largest process of ours',
      target: `<= ${mebibytes(memoryLimit(rows))}`,
      met: peak <= memoryLimit(rows),
    },
  ]
}

/** Of the reading that finds what is missing, and of the one that confirms it. */
function cpuFigures(rounds: readonly Round[], named: (what: string) => string): Figure[] {
  const steps: [string, (round: Round) => Reading][] = [
    ['1 % changed or deleted', ({ changed }) => changed],
    ['the reading after that', ({ again }) => again],
  ]
  const cpuMs = (reading: Reading): number => reading.postgresCpuMs ?? Number.NaN
  return steps.map(([step, of]) => {
    const ratio = (round: Round): number => cpuMs(of(round)) / cpuMs(round.unchanged)
    const middle = median(rounds, ratio)
    return {
      what: named(`${step}, CPU of Postgres`),
      measured: `${ratio(middle).toFixed(2)} x unchanged`,
      beside: `${seconds(cpuMs(of(middle)))} to ${seconds(cpuMs(middle.unchanged))}`,
      target: '<= 1.5',
      met: ratio(middle) <= 1.5,
    }
  })
}

/** Against whole pages of all that is read. */
function callsFigure(what: string, { source, rows }: Measured, { pages }: Reading): Figure {
  const least = Math.ceil(rows / (sources[source]?.pageRows ?? 1))
  return {
    what,
    measured: `${(pages / least).toFixed(3)} x whole pages`,
    beside: `${pages.toLocaleString('en')} to ${least.toLocaleString('en')}`,
    target: '<= 1.1',
    met: pages <= 1.1 * least,
  }
}
