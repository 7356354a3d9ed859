import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { jobs } from '../src/account/catalog.ts'
import { loadConfig } from '../src/config/load-config.ts'
import { silentObserver } from '../src/core/define/observer.ts'
import { type Clock, systemClock } from '../src/core/time/clock.ts'
import { serve } from '../src/serve/work/serve.ts'
import { serveOrder } from './child.ts'
import { peakBytes } from './peak-memory.ts'

export interface ServeOrder {
  config: string
  forMs: number
}

export interface ServedAccounts {
  /** What is held after a full collection. */
  heldBytes: number
  peakBytes: number
  works: number
  /** Until the first look at the ledger. */
  startCpuMs: number
  cpuMs: number
}

/** `callsheet serve`, for so long from its start; checks the health of all accounts from then on. */
async function serveAccounts({ config: path, forMs }: ServeOrder): Promise<ServedAccounts> {
  const { config } = loadConfig({ path, jobs, environment: {} })
  const stop = new AbortController()
  const started = Promise.withResolvers<number>()
  const sleep: Clock['sleep'] = (ms, signal) =>
    systemClock.sleep(ms === HEALTH_MS ? SOON_MS : ms, signal)
  const served = serve(
    {
      config,
      clock: { ...systemClock, sleep },
      observer: silentObserver,
      signal: stop.signal,
      doTask: () => Promise.reject(new Error('No task is scheduled')),
      onStarted: (works) => started.resolve(works.length),
    },
    {},
  )
  served.catch(started.reject)
  const works = await started.promise
  const startCpuMs = cpuMs()
  await systemClock.sleep(forMs)
  const spent = { startCpuMs, cpuMs: cpuMs() }
  const result = { works, ...spent, peakBytes: peakBytes(), heldBytes: held() }
  stop.abort()
  await served
  return result
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function held(): number {
  collect()
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

setFlagsFromString('--expose-gc')
/** V8's own full collection, which it shows to contexts that are made from here on. */
const collect = runInNewContext('gc') as () => void
/** The pause before a check of the health of all accounts, which is too long to wait for. */
const HEALTH_MS = 300_000
const SOON_MS = 5_000

await serveOrder(serveAccounts)
