import { type Figure, type Table, mebibytes, ratioFigure, seconds } from './figures.ts'
import { type Measured, measureSource, median, type Round } from './measure-source.ts'
import type { Part, PartOptions } from './part.ts'
import { sources } from './sources.ts'
import type { Cost } from './stage.ts'
import type { Spent } from './spent.ts'

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

/** The smaller one is the measure of how time and memory grow. */
function sizes({ rows, quick }: PartOptions): number[] {
  const [small, large] = quick ? [20_000, 100_000] : [100_000, 1_000_000]
  return [small, rows ?? large]
}

function costTable({ source, rows, rounds, ...measured }: Measured): Table {
  const { unchanged, drain, changed } = median(rounds, drainRatio)
  const steps: [string, Spent | Cost | undefined][] = [
    ['first load: ours', measured.first],
    ['first load: COPY of the same rows', measured.copy],
    ['first load: plain script', measured.scriptFirst],
    ['unchanged: ours', unchanged],
    ['unchanged: drain of the same pages', drain],
    ['unchanged: plain script', measured.scriptAgain],
    ['1 % changed: ours', changed],
  ]
  const lines = steps.flatMap(([what, cost]) => (cost === undefined ? [] : [lineOf(what, cost)]))
  const title = `${sources[source]?.title}: ${rows.toLocaleString('en')} rows`
  return { title, lines: [HEADER, ...lines] }
}

const HEADER = [
  'step',
  'rows',
  'wall',
  'rows/s',
  'CPU s / 100,000',
  'of Postgres',
  'rows written',
  'WAL',
  'peak memory',
]

function lineOf(what: string, cost: Spent | Cost): string[] {
  const { rows, wallMs, cpuMs, peakBytes } = cost
  const per100k = (ms: number | undefined): string =>
    ms === undefined ? '' : ((ms / rows) * 100).toFixed(2)
  const stored = 'walBytes' in cost ? cost : undefined
  return [
    what,
    rows.toLocaleString('en'),
    seconds(wallMs),
    Math.round((rows * 1000) / wallMs).toLocaleString('en'),
    per100k(cpuMs),
    per100k(stored?.postgresCpuMs),
    stored === undefined ? '' : stored.rowsWritten.toLocaleString('en'),
    stored === undefined ? '' : mebibytes(stored.walBytes),
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
    limits.flatMap(({ what, name, least, other }) => {
      if (other === undefined) return []
      return [ratioFigure(named(what), { rate: rate(ours), beside: rate(other), name }, least)]
    })
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
  other: Spent | undefined
}

function restFigures({ first, rounds }: Measured, named: (what: string) => string): Figure[] {
  const { unchanged } = median(rounds, ({ unchanged: { walBytes } }) => walBytes)
  const slower = (round: Round): number => round.changed.wallMs / round.unchanged.wallMs
  const middle = median(rounds, slower)
  const peak = Math.max(
    ...[first, ...rounds.flatMap((round) => [round.unchanged, round.changed])].map(
      ({ peakBytes }) => peakBytes,
    ),
  )
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
      what: named('1 % changed'),
      measured: `${slower(middle).toFixed(2)} x unchanged`,
      beside:
        `${seconds(middle.changed.wallMs)} to ${seconds(middle.unchanged.wallMs)}, ` +
        `${middle.changed.changed} changed`,
      target: '<= 1.25',
      met: slower(middle) <= 1.25,
    },
    {
      what: named('peak memory'),
      measured: mebibytes(peak),
      beside: 'of the largest process of ours',
      target: `<= ${mebibytes(MEMORY_LIMIT)}`,
      met: peak <= MEMORY_LIMIT,
    },
  ]
}

/** What a row more costs: as much time as the rows before it, and the memory of its fingerprints. */
function growthFigures(all: readonly Measured[]): Figure[] {
  const [small, large] = all
  if (small === undefined || large === undefined || large.rows < 2 * small.rows) return []
  const steps: [string, (measured: Measured) => Spent][] = [
    ['first load', ({ first }) => first],
    ['unchanged', ({ rounds }) => median(rounds, drainRatio).unchanged],
  ]
  const span = `${small.rows.toLocaleString('en')} to ${large.rows.toLocaleString('en')}`
  return steps.flatMap(([what, of]) => {
    const perRow = (one: Measured): number => (of(one).wallMs * 1000) / one.rows
    const bend = perRow(large) / perRow(small)
    const bytes = (of(large).peakBytes - of(small).peakBytes) / (large.rows - small.rows)
    return [
      {
        what: `${small.source}, ${span}: time a row, ${what}`,
        measured: `${bend.toFixed(2)} x`,
        beside: `${perRow(small).toFixed(1)} to ${perRow(large).toFixed(1)} microseconds`,
        target: '<= 1.25',
        met: bend <= 1.25,
      },
      {
        what: `${small.source}, ${span}: memory a row, ${what}`,
        measured: `${Math.round(bytes)} bytes`,
        beside: `${mebibytes(of(small).peakBytes)} to ${mebibytes(of(large).peakBytes)}`,
        target: `<= ${ROW_BYTES} bytes`,
        met: bytes <= ROW_BYTES,
      },
    ]
  })
}

function drainRatio({ drain, unchanged }: Round): number {
  return drain.wallMs / unchanged.wallMs
}

const MEMORY_LIMIT = 200 * 2 ** 20
/** The two hashes and the order of a row, and an index over each hash while it grows. */
const ROW_BYTES = 36 + 2 * 8
