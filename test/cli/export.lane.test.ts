import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
beforeAll(async () => {
  const scopes = ['user:read:admin', 'number_management:read:list_sip_trunks:admin']
  bench = await openWorkbench({ switches: { providerExchange: false }, accounts: [{ scopes }] })
  bench.configure()
  await bench.run('sync', 'users')
  await bench.run('sync', 'number-settings')
})
afterAll(() => bench.close())

describe('callsheet export', () => {
  it('lists the tables if none is named, and refuses an unknown one', async () => {
    const { code, stdout } = await bench.run('export')
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^users +\d+$/m)])
    const unknown = await bench.run('export', 'user')
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('users')])
  })

  it('writes a complete table, reports this in the first line, and exits with 0', async () => {
    const out = join(bench.folder, 'whole')
    const { code, stdout } = await bench.run('export', 'users', '--out', out)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^users, account main, as of .* UTC\. The data is complete: /)
    expect(readdirSync(out)).toEqual([expect.stringMatching(/^main-table-users-.*\.parquet$/)])
  })

  it('writes an unread table as it is, reports this in the first line, and exits with 4', async () => {
    const out = join(bench.folder, 'partial')
    const { code, stdout } = await bench.run('export', 'sip_groups', '-f', 'csv', '--out', out)
    expect(stdout).toMatch(/^sip_groups, .*The data is NOT complete\. .*may not read sip_groups/)
    expect(code).toBe(4)
    expect(readdirSync(out).toSorted()).toEqual([
      expect.stringMatching(/\.coverage\.json$/),
      expect.stringMatching(/^main-table-sip_groups-.*\.csv$/),
    ])
  })
})
