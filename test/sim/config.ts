import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { completeCredentials } from '../../sandbox/seed-data/options.ts'
import type { SimulatedService } from '../../sandbox/server/service.ts'
import { jobs } from '../../src/account/catalog.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import type { Config } from '../../src/config/schema.ts'

/** A configuration with the first account of every simulated service. */
export function simulationConfig(): { config: Config; remove(): void } {
  const directory = mkdtempSync(join(tmpdir(), 'callsheet-sim-config-'))
  const path = join(directory, 'config.yaml')
  const { accountId, clientId, clientSecret, apiKey, apiSecret } = completeCredentials({}, 0)
  const account = {
    name: 'simulated',
    baseUrl: 'http://127.0.0.1:8080/v2',
    authUrl: 'http://127.0.0.1:8080',
    accountId,
    clientId,
    clientSecret,
    videoSessions: { apiKey, apiSecret },
    reserve: 0,
  }
  // Its time is virtual, and a disk's is not.
  const archive = { files: false }
  writeFileSync(path, JSON.stringify({ stateDirectory: directory, archive, accounts: [account] }))
  const { config } = loadConfig({ path, jobs, environment: {} })
  return { config, remove: () => rmSync(directory, { recursive: true, force: true }) }
}

/** The configuration's account under another name, as the service rates it or with all to be learned. */
export function settingsFor(
  { accounts: [settings] }: Config,
  own: { name: string; quotas: 'learn' | SimulatedService['quotas'] },
): Config['accounts'][number] {
  if (settings === undefined) throw new RangeError('the configuration names no account')
  return { ...settings, ...own }
}
