import { join } from 'node:path'
import { connect, type Warehouse } from '../src/warehouse/connect.ts'
import { runChild } from './child.ts'
import { openDatabase } from './database.ts'
import { type Figure, mebibytes, seconds } from './figures.ts'
import type { Part, PartOptions } from './part.ts'
import type { PublishedOnce } from './publish.ts'
import { type Check, checkNumberInventory, checkSessionQuality } from './report-checks.ts'
import {
  changeNumbers,
  fillNumbers,
  fillSessions,
  REPORT_MONTH,
  REPORT_MONTHS,
} from './report-rows.ts'

interface Stage extends PartOptions {
  url: string
  directory: string
  warehouse: Warehouse
}

/** Both reports, each made in a process of its own from tables that were filled before. */
export const reportsPart: Part = {
  about:
    'session quality over 1,000,000 sessions of a month and 5,000,000 of six, inventory of 200,000 numbers',
  async measure(options) {
    const database = await openDatabase()
    const warehouse = connect({ url: database.url, poolSize: 1, statementTimeoutMs: 1_800_000 })
    const stage = { ...options, url: database.url, directory: database.directory, warehouse }
    const sessions = options.rows ?? (options.quick ? 100_000 : 1_000_000)
    const numbers = Math.round(sessions / 5)
    try {
      await fillSessions(warehouse, REPORT_MONTHS.slice(-2), sessions)
      await fillNumbers(warehouse, numbers)
      await settle(stage)
      const month = await measureQuality(stage, {
        of: `${grouped(sessions)} sessions in the month and in the one before`,
        targetSeconds: 5,
      })
      const first = await measureInventory(stage, numbers, 'first')
      await changeNumbers(warehouse)
      await settle(stage)
      const second = await measureInventory(stage, numbers, 'with 1 % changed')
      // With the two months five times as many sessions as one of these has.
      await fillSessions(warehouse, REPORT_MONTHS.slice(0, -2), Math.round(sessions * 0.75))
      await settle(stage)
      const six = await measureQuality(stage, {
        of: `${grouped(sessions * 5)} sessions of six months`,
        targetSeconds: 25,
      })
      const made = [month, first, second, six]
      const header = ['report', 'seconds', 'CPU seconds', 'peak memory', 'files']
      const lines = made.map(({ line }) => line)
      const tables = [
        { title: 'reports, what they took', lines: [header, ...lines] },
        {
          title: 'reports, sheets against SQL',
          lines: checkLines(made.flatMap((one) => one.checks)),
        },
      ]
      return { figures: made.flatMap(({ figures }) => figures), tables }
    } finally {
      await warehouse.close()
      await database.stop()
    }
  },
}

interface Measured {
  figures: Figure[]
  checks: Check[]
  line: string[]
}

/** The middle one of three: each takes a few seconds, in which a machine's other work weighs much. */
async function measureQuality(
  stage: Stage,
  { of, targetSeconds }: { of: string; targetSeconds: number },
): Promise<Measured> {
  const name = `session quality, ${of}`
  const rounds: { made: PublishedOnce; scanMs: number }[] = []
  for (let round = 0; round < 3; round++) {
    const scanMs = await timeScan(stage)
    rounds.push({ made: await publish(stage, 'session-quality', { month: REPORT_MONTH }), scanMs })
  }
  rounds.sort((a, b) => a.made.wallMs - b.made.wallMs)
  const { made, scanMs } = rounds[1] as (typeof rounds)[number]
  const checks = await checkSessionQuality(stage.warehouse, workbookOf(made))
  const time = {
    what: name,
    measured: seconds(made.wallMs),
    beside: `${seconds(scanMs)} to count them once by SQL`,
    target: `<= ${targetSeconds} s`,
    met: made.wallMs <= targetSeconds * 1000 && made.covered,
  }
  return { figures: [time, checkFigure(name, checks)], checks, line: lineOf(name, made) }
}

async function measureInventory(stage: Stage, numbers: number, kind: string): Promise<Measured> {
  const name = `number inventory, ${grouped(numbers)} numbers, ${kind}`
  const made = await publish(stage, 'number-inventory', {})
  const checks = await checkNumberInventory(stage.warehouse, workbookOf(made))
  const time = {
    what: name,
    measured: seconds(made.wallMs),
    target: '<= 25 s',
    met: made.wallMs <= 25_000 && made.covered,
  }
  const memory = {
    what: `${name}: peak memory`,
    measured: mebibytes(made.peakBytes),
    target: '<= 400 MB',
    met: made.peakBytes <= 400 * 2 ** 20,
  }
  return { figures: [time, memory, checkFigure(name, checks)], checks, line: lineOf(name, made) }
}

async function publish(
  { url, directory, profileDirectory, nodeFlags }: Stage,
  report: string,
  params: Record<string, string>,
): Promise<PublishedOnce> {
  const order = { databaseUrl: url, directory: join(directory, 'out'), report, params }
  return await runChild<object, PublishedOnce>('publish.ts', order, { profileDirectory, nodeFlags })
}

/** What the machine and its neighbours allow at the moment: one plain pass over the same rows. */
async function timeScan({ warehouse }: Stage): Promise<number> {
  const startedMs = performance.now()
  await warehouse.withClient((client) =>
    client.query('select count(*), count(audio_quality), sum(_run_id) from svc.session_reports'),
  )
  return performance.now() - startedMs
}

async function settle({ warehouse }: Stage): Promise<void> {
  await warehouse.withClient(async (client) => {
    await client.query('vacuum analyze')
    await client.query('checkpoint')
  })
}

function workbookOf({ files }: PublishedOnce): string {
  return files.find(({ path }) => path.endsWith('.xlsx'))?.path ?? ''
}

function checkFigure(name: string, checks: readonly Check[]): Figure {
  const equal = checks.filter(({ sheet, sql }) => sheet === sql)
  return {
    what: `${name}: sheet totals`,
    measured: `${equal.length} of ${checks.length} equal SQL`,
    target: 'all',
    met: checks.length > 0 && equal.length === checks.length,
  }
}

function checkLines(checks: readonly Check[]): string[][] {
  const lines = checks.map(({ what, sheet, sql }) => [what, grouped(sheet), grouped(sql)])
  return [['total', 'in the workbook', 'by SQL'], ...lines]
}

function lineOf(name: string, { wallMs, cpuMs, peakBytes, files }: PublishedOnce): string[] {
  const sizes = files.map(({ path, bytes }) => `${path.split('.').at(-1)} ${mebibytes(bytes)}`)
  return [name, seconds(wallMs), seconds(cpuMs), mebibytes(peakBytes), sizes.join(', ')]
}

function grouped(count: number): string {
  return count.toLocaleString('en')
}
