import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { jobs } from '../../src/account/catalog.ts'
import type { Context } from '../../src/cli/frame/context.ts'
import { createOutput } from '../../src/cli/frame/output.ts'
import { planAccounts } from '../../src/cli/plan.ts'
import { makeReports } from '../../src/cli/report.ts'
import { showRuns } from '../../src/cli/runs.ts'
import { showStatus } from '../../src/cli/status.ts'
import { syncAccounts } from '../../src/cli/sync.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { type Clock, systemClock } from '../../src/core/time/clock.ts'

export interface ZoneOrder {
  configFile: string
  now: string
  /** The folder for reports. */
  out: string
}

export interface ZoneEnd {
  code: number | null
  /** The output of the commands after the sync; the sync's own output has a duration. */
  said: string
}

/** Syncs, plans, reports and shows, as the commands do, in a separate process with this time zone. */
export async function workInZone(zone: string, order: ZoneOrder): Promise<ZoneEnd> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), JSON.stringify(order)], {
    env: { PATH: process.env.PATH, TZ: zone, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, said }
}

async function work({ configFile, now, out }: ZoneOrder): Promise<void> {
  const nowMs = Date.parse(now)
  const clock: Clock = {
    ...systemClock,
    now: () => nowMs,
    sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 20), signal),
  }
  const loaded = loadConfig({ path: configFile, jobs, environment: {} })
  const output = createOutput({ json: false })
  const context: Context = {
    output,
    clock,
    signal: new AbortController().signal,
    verbose: false,
    loadConfig: async () => loaded,
    observer: async () => silentObserver,
  }
  const silent = { ...output, line: () => {}, table: () => {}, note: () => {}, result: () => {} }
  const options = { out, limit: 20 }
  const codes: number[] = []
  // One job at a time, because parallel jobs would get their run IDs by chance.
  for (const { name } of jobs)
    codes.push(await syncAccounts({ ...context, output: silent }, [name], {}))
  codes.push(
    await planAccounts(context, [], {}),
    await makeReports(context, 'session-quality', { ...options, month: ['2026-06'] }),
    await makeReports(context, 'number-inventory', options),
    await makeReports(context, 'whiteboard-audit', { ...options, month: ['2026-06'] }),
    await showStatus(context, {}),
    await showRuns(context, undefined, options),
    await showRuns(context, 1, options),
  )
  output.line(`here it is ${new Date(nowMs).toString().slice(16, 21)}`)
  process.exitCode = Math.max(...codes)
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await work(JSON.parse(process.argv[2] ?? '{}') as ZoneOrder)
