import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { catalog, jobs } from '../../src/account/catalog.ts'
import { openAccount } from '../../src/account/open-account.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { CallsheetError } from '../../src/core/errors.ts'
import { type Clock, systemClock } from '../../src/core/time/clock.ts'
import { syncAccount } from '../../src/sync/sync.ts'
import { connect } from '../../src/warehouse/connect.ts'

export interface SyncOrder {
  configFile: string
  databaseUrl: string
  now: string
  /** Kills the process with SIGKILL at this step of its progress. */
  killAtStep?: number
}

export interface SyncEnd {
  code: number | null
  signal: NodeJS.Signals | null
  /** The states of the runs, or the code of the error that prevented them. */
  said: string
}

/** Syncs the account in a separate process. */
export async function syncInProcess(order: SyncOrder): Promise<SyncEnd> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  return { code, signal, said }
}

async function work({ configFile, databaseUrl, now, killAtStep }: SyncOrder): Promise<void> {
  const nowMs = Date.parse(now)
  const clock: Clock = { ...systemClock, now: () => nowMs }
  const { config } = loadConfig({ path: configFile, ...catalog, environment: {} })
  const warehouse = connect({ url: databaseUrl, frozenNow: nowMs, poolSize: 6 })
  const wiring = { config, clock, observer: silentObserver, frozenNow: nowMs }
  const frame = { wiring, warehouse, embedded: false, close: () => warehouse.close() }
  const account = await openAccount(frame, config.accounts[0]!)
  let steps = 0
  try {
    const results = await syncAccount(account.deps, {
      account: account.settings.name,
      jobs,
      signal: new AbortController().signal,
      onProgress: () => {
        if (++steps === killAtStep) process.kill(process.pid, 'SIGKILL')
      },
    })
    process.stdout.write(results.map(({ state }) => state).join(' '))
  } catch (error) {
    if (!(error instanceof CallsheetError)) throw error
    process.stdout.write(error.code)
    process.exitCode = error.exitCode
  } finally {
    await account.close()
    await warehouse.close()
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await work(JSON.parse(process.argv[2] ?? '{}') as SyncOrder)
