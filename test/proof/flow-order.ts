import { jobs } from '../../src/account/catalog.ts'
import type { Context } from '../../src/cli/frame/context.ts'
import type { Output } from '../../src/cli/frame/output.ts'
import { logIn } from '../../src/cli/login.ts'
import { logOut } from '../../src/cli/logout.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { Secret } from '../../src/config/secret.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { type Clock, systemClock } from '../../src/core/time/clock.ts'

/** A command that begins or ends what a person allowed, the same whether a child does it or we do. */
export interface FlowOrder {
  command: 'login' | 'logout'
  configFile: string
  databaseUrl: string
  nowMs: number
}

/** Does what `callsheet login` and `callsheet logout` do; answers the exit code. */
export async function runFlow(
  { command, configFile, databaseUrl, nowMs }: FlowOrder,
  output: Output,
  sleep: Clock['sleep'],
): Promise<number> {
  const loaded = loadConfig({ path: configFile, jobs, environment: {} })
  const database = { ...loaded.config.database, url: new Secret(databaseUrl) }
  const context: Context = {
    output,
    clock: { ...systemClock, now: () => nowMs, sleep },
    signal: new AbortController().signal,
    verbose: false,
    loadConfig: () => Promise.resolve({ ...loaded, config: { ...loaded.config, database } }),
    observer: () => Promise.resolve(silentObserver),
  }
  return command === 'login' ? await logIn(context, {}) : await logOut(context, {})
}
