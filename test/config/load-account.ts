import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { catalog } from '../../src/account/catalog.ts'
import type { AccountSettings } from '../../src/config/account-settings.ts'
import { loadConfig } from '../../src/config/load-config.ts'

/** Loads a configuration with one account, whose own settings are the given lines from the eighth on. */
export function loadAccount(...settings: string[]): AccountSettings | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-account-'))
  const path = join(folder, 'config.yaml')
  const account = [
    'accounts:',
    '  - name: main',
    '    baseUrl: https://api.example.com/v2',
    '    authUrl: https://auth.example.com',
    '    accountId: a-1',
    '    clientId: c-1',
    '    clientSecret: env:SECRET',
    ...settings.map((line) => `    ${line}`),
  ]
  try {
    writeFileSync(path, account.join('\n'))
    return loadConfig({ path, ...catalog, environment: {} }).config.accounts[0]
  } finally {
    rmSync(folder, { recursive: true })
  }
}
