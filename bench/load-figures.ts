import { DAY_MS, utcDay } from '../src/core/time.ts'
import { runChild, startChild } from './child.ts'
import type { Copied } from './copy.ts'
import { type BenchDatabase, openDatabase } from './database.ts'
import type { Drained } from './drain.ts'
import { type Figure, mebibytes, percent, ratioFigure, seconds } from './figures.ts'
import type { Synced } from './ours.ts'
import type { Window } from './pages-server.ts'
import type { Scripted } from './plain-script.ts'
import { BENCH_NOW_MS } from './session-rows.ts'

export interface LoadOptions {
  rows: number
  /** Where the engine's CPU profiles go, if wanted. */
  profileDirectory: string | undefined
  /** What the engine's process is started with. */
  nodeFlags: readonly string[]
}

type Stage = LoadOptions & { database: BenchDatabase; url: string }

interface Step {
  synced: Synced
  /** The windows that the engine asked for. */
  windows: Window[]
  rowsWritten: number
  walBytes: number
}

/** First load and unchanged re-reading, each beside its limits; every contestant has a process of its own. */
export async function measureLoad(options: LoadOptions): Promise<Figure[]> {
  return await onStage(options, async (stage) => {
    const first = await syncOnce(stage, 'load', 0)
    const firstDrain = await drain(stage, first.windows)
    await stage.database.emptyTable('copied')
    await stage.database.settle()
    const copied = await runChild<object, Copied>('copy.ts', { databaseUrl: stage.database.url })
    await stage.database.emptyTable('scripted')
    const scriptedFirst = await script(stage)
    const { step: again, drained: againDrain } = await rereadAndDrain(stage)
    const scriptedAgain = await script(stage)
    const { rows } = options
    const rate = (wallMs: number): number => (rows * 1000) / wallMs
    const ours = rate(first.synced.wallMs)
    const reread = rate(again.synced.wallMs)
    const copy = { rate: ours, beside: rate(copied.wallMs), name: 'COPY' }
    const plain = { rate: ours, beside: rate(scriptedFirst.wallMs), name: 'the script' }
    const drained = { rate: reread, beside: rate(againDrain.wallMs), name: 'the drain' }
    const plainAgain = { rate: reread, beside: rate(scriptedAgain.wallMs), name: 'the script' }
    return [
      completeFigure('first load', first, { rows, drained: firstDrain }),
      ratioFigure('first load', copy, 0.3),
      ratioFigure('first load', plain, 1.5),
      completeFigure('unchanged re-reading', again, { rows, drained: againDrain }),
      ratioFigure('unchanged re-reading', drained, 0.35),
      ratioFigure('unchanged re-reading', plainAgain, 3),
      writtenFigure(again),
    ]
  })
}

/** The middle one of three rounds: both take a few seconds, in which a machine's other work weighs much. */
async function rereadAndDrain(stage: Stage): Promise<{ step: Step; drained: Drained }> {
  const rounds: { step: Step; drained: Drained }[] = []
  for (const round of [1, 2, 3]) {
    const step = await syncOnce(stage, `reread-${round}`, round * HOUR_MS)
    rounds.push({ step, drained: await drain(stage, step.windows) })
  }
  const ratio = ({ step, drained }: (typeof rounds)[number]): number =>
    drained.wallMs / step.synced.wallMs
  rounds.sort((a, b) => ratio(a) - ratio(b))
  return rounds[1] as (typeof rounds)[number]
}

/** The peak of a whole process that loads so many rows, and of one that reads them again. */
export async function measureMemory(options: LoadOptions): Promise<Figure[]> {
  return await onStage(options, async (stage) => {
    const first = await syncOnce(stage, 'memory-load', 0)
    const again = await syncOnce(stage, 'memory-reread', HOUR_MS)
    return [
      memoryFigure(`memory, first load of ${options.rows}`, first),
      memoryFigure('memory, reading it again', again),
    ]
  })
}

async function onStage(
  options: LoadOptions,
  work: (stage: Stage) => Promise<Figure[]>,
): Promise<Figure[]> {
  const pages = await startChild<object, { url: string }>('pages-server.ts', {
    rows: options.rows,
  })
  try {
    const database = await openDatabase()
    try {
      const stage = { ...options, database, url: pages.result.url }
      // Warms the server: its code is compiled, its memory is resident.
      await drain(stage, months())
      return await work(stage)
    } finally {
      await database.stop()
    }
  } finally {
    await pages.stop()
  }
}

async function syncOnce(stage: Stage, step: string, laterMs: number): Promise<Step> {
  const { database, url, profileDirectory, nodeFlags } = stage
  await database.settle()
  const before = await database.written()
  const order = { url, databaseUrl: database.url, directory: database.directory, laterMs }
  // Forgets what the drains and the script asked.
  await askedWindows(stage)
  const profile = profileDirectory === undefined ? undefined : `${profileDirectory}/${step}`
  const synced = await runChild<object, Synced>(
    'ours.ts',
    { ...order, account: 'bench' },
    { profileDirectory: profile, nodeFlags },
  )
  const after = await database.written()
  if (synced.state !== 'complete') throw new Error(`The sync ended ${synced.state}`)
  return {
    synced,
    windows: await askedWindows(stage),
    rowsWritten: after.rows - before.rows,
    walBytes: after.walBytes - before.walBytes,
  }
}

async function drain({ url }: Stage, windows: readonly Window[]): Promise<Drained> {
  return await runChild<object, Drained>('drain.ts', { url, windows })
}

async function script({ database, url }: Stage): Promise<Scripted> {
  await database.settle()
  const order = { url, databaseUrl: database.url, windows: months() }
  return await runChild<object, Scripted>('plain-script.ts', order)
}

async function askedWindows({ url }: Stage): Promise<Window[]> {
  const response = await fetch(`${url}/asked`)
  return (await response.json()) as Window[]
}

/** Six months as a plain script would ask for them: as long as the service allows, and without overlap. */
function months(): Window[] {
  const windows: Window[] = []
  for (let ms = BENCH_NOW_MS - 180 * DAY_MS; ms <= BENCH_NOW_MS; ms += 30 * DAY_MS)
    windows.push({ from: utcDay(ms), to: utcDay(ms + 29 * DAY_MS) })
  return windows
}

function completeFigure(
  what: string,
  { synced }: Step,
  { rows, drained }: { rows: number; drained: Drained },
): Figure {
  const { wallMs, cpuMs, table } = synced
  return {
    what: `${what}, rows present`,
    measured: `${table?.present ?? 0}`,
    beside:
      `${seconds(wallMs)}, cpu ${seconds(cpuMs)}; ` +
      `${drained.pages} pages drain in ${seconds(drained.wallMs)}`,
    target: `${rows}`,
    met: table?.present === rows,
  }
}

function writtenFigure({ rowsWritten, walBytes, synced }: Step): Figure {
  return {
    what: 'unchanged re-reading, rows written',
    measured: `${rowsWritten}`,
    beside: `${mebibytes(walBytes)} of log, ${synced.table?.unchanged ?? 0} found unchanged`,
    target: '0',
    met: rowsWritten === 0,
  }
}

function memoryFigure(what: string, { synced }: Step): Figure {
  const { peakBytes, wallMs } = synced
  return {
    what,
    measured: mebibytes(peakBytes),
    beside: `${percent(peakBytes / MEMORY_LIMIT)} of the limit, ${seconds(wallMs)}`,
    target: `<= ${mebibytes(MEMORY_LIMIT)}`,
    met: peakBytes <= MEMORY_LIMIT,
  }
}

const HOUR_MS = 3_600_000
const MEMORY_LIMIT = 256 * 2 ** 20
