import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import { type Loaded, loadConfig } from '../../src/config/load-config.ts'
import { type CallsheetError, ConfigurationError } from '../../src/core/errors.ts'

export const jobs = [{ name: 'users', schedule: '0 1 * * *' }]
const reportJobs = [{ name: 'monthly', schedule: '0 6 1 * *' }]
/** The lines of the smallest valid configuration. */
export const account = [
  'accounts:',
  '  - name: main',
  '    baseUrl: https://api.svc.example/v2',
  '    authUrl: https://svc.example',
  '    accountId: acc',
  '    clientId: app',
  '    clientSecret: env:SECRET',
]

/** Gives each test a folder, and functions that write a configuration there and load it. */
export function useConfigFolder() {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'callsheet-config-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))
  function load(text: string | Uint8Array, environment: Record<string, string> = {}): Loaded {
    const path = join(folder, 'config.yaml')
    writeFileSync(path, text)
    return loadConfig({ path, jobs, reportJobs, environment })
  }
  /** The error message for a configuration that must be rejected, without the folder in its paths. */
  function refusal(text: string | Uint8Array): string {
    try {
      load(text)
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigurationError)
      expect((error as CallsheetError).exitCode).toBe(2)
      return (error as CallsheetError).message.replaceAll(`${folder}/`, '')
    }
    throw new Error('the configuration was taken')
  }
  return { inFolder: (name: string) => join(folder, name), load, refusal }
}
