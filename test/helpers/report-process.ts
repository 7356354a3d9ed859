import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { reports } from '../../src/account/catalog.ts'
import type { ReportFormat } from '../../src/core/define/report-format.ts'
import { CallsheetError } from '../../src/core/errors.ts'
import { publishReport } from '../../src/report/publish-report.ts'
import { connect } from '../../src/warehouse/connect.ts'

export interface ReportOrder {
  databaseUrl: string
  account: string
  report: string
  directory: string
  format: ReportFormat
  /** Drops root's rights, which ignore permissions of folders. */
  humble?: boolean
  /** Opens files until the limit is reached and makes the report, then closes them and makes it again. */
  withoutFiles?: boolean
}

export interface ReportEnd {
  code: number | null
  signal: NodeJS.Signals | null
  /** The outcome of each try: the error's code and cause, or the number of files. */
  said: { code: string; came: string; files: number }[]
}

/** Makes a report in a separate process, under limits that a shell sets (`ulimit -f 64`). */
export async function reportInProcess(order: ReportOrder, limits = 'true'): Promise<ReportEnd> {
  const file = fileURLToPath(import.meta.url)
  const args = ['-c', `${limits}; exec "$0" "$@"`, process.execPath, file, JSON.stringify(order)]
  const child = spawn('bash', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  const lines = said.split('\n').filter((line) => line !== '')
  return { code, signal, said: lines.map((line) => JSON.parse(line) as ReportEnd['said'][number]) }
}

async function work(order: ReportOrder): Promise<void> {
  // Without a listener the kernel's signal would end the process before the write can fail.
  process.on('SIGXFSZ', () => {})
  if (order.humble === true && process.getuid?.() === 0) process.setuid?.(65_534)
  const warehouse = connect({ url: order.databaseUrl, poolSize: 1 })
  await warehouse.ping()
  if (order.withoutFiles === true) {
    const opened = openAll()
    await say(order, warehouse)
    for (const file of opened) closeSync(file)
  }
  await say(order, warehouse)
  await warehouse.close()
}

async function say(order: ReportOrder, warehouse: ReturnType<typeof connect>): Promise<void> {
  const report = reports.find(({ name }) => name === order.report)
  if (report === undefined) throw new Error(`There is no report ${order.report}`)
  const { account, directory, format } = order
  const request = { report, account, params: {}, timeZone: 'UTC', directory, formats: [format] }
  const outcome = await publishReport({ warehouse }, request).then(
    ({ files }) => ({ code: '', came: '', files: files.length }),
    (error: unknown) => {
      if (!(error instanceof CallsheetError)) throw error
      return { code: error.code, came: error.facts.came, files: 0 }
    },
  )
  process.stdout.write(`${JSON.stringify(outcome)}\n`)
}

function openAll(): number[] {
  const opened: number[] = []
  for (;;) {
    try {
      opened.push(openSync('/dev/null', 'r'))
    } catch {
      return opened
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await work(JSON.parse(process.argv[2] ?? '{}') as ReportOrder)
