import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../tidy/source-files.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
beforeAll(async () => {
  const scopes = ['user:read:admin', 'number_management:read:list_sip_trunks:admin']
  bench = await openWorkbench({ switches: { providerExchange: false }, accounts: [{ scopes }] })
  bench.configure({ top: ['archive: {directory: archive}'] })
  await bench.run('sync', 'users')
  await bench.run('sync', 'number-settings')
  // The job archives files, so the account keeps evidence.
  await bench.run('sync', 'recordings')
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

  it('updates a lake as docs/reports.md shows, and then finds it unchanged', async () => {
    const shown = /\$ (callsheet export users --lake lake)\n([^`]*)```/.exec(
      readFileSync(join(ROOT, 'docs/reports.md'), 'utf8'),
    )
    const plain = (text: string) =>
      text.replaceAll(/\S+(?=\/lake\/svc)/g, 'FOLDER').replaceAll(/\d[\d,]*/g, 'N')
    const { code, stdout } = await bench.run('export', 'users', '--lake', 'lake')
    expect([code, plain(stdout)]).toEqual([0, plain(shown?.[2] ?? 'no such block')])
    const again = await bench.run('export', 'users', '--lake', 'lake')
    expect([again.code, again.stdout]).toEqual([0, expect.stringMatching(/snapshot +unchanged/)])
    const verified = await bench.run('verify', '--lake', 'lake')
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringMatching(/lake files +4\n/)])
  })

  it('updates all synced tables of a lake by default, and exits with 4 if one is not whole', async () => {
    const { code, stdout } = await bench.run('export', '--lake', 'all')
    expect(code).toBe(4)
    expect(stdout).toMatch(/^users, account main/m)
    expect(stdout).toMatch(/^sip_groups, account main, .* NOT complete/m)
    expect(readdirSync(join(bench.folder, 'all/svc'))).toContain('sip_groups')
  })

  it('refuses --lake with --format, and a lake in a bucket without the setting archive.s3', async () => {
    const both = await bench.run('export', 'users', '--lake', 'lake', '--format', 'csv')
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('--lake')])
    const bucket = await bench.run('export', 'users', '--lake', 's3://lake')
    expect([bucket.code, bucket.stderr]).toEqual([2, expect.stringContaining('archive.s3')])
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
