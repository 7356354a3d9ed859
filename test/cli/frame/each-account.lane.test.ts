import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/time/clock.ts'
import { connect, type Warehouse } from '../../../src/warehouse/connect.ts'
import { acquireLease } from '../../../src/warehouse/ledger/lease.ts'
import { openWorkbench, type Workbench } from '../workbench.ts'

/** Two accounts: the second has a signed checkpoint, the first has none yet. */
let bench: Workbench
let warehouse: Warehouse
beforeAll(async () => {
  bench = await openWorkbench({ accounts: [{}, {}] })
  bench.configure({ top: ['archive: {files: true, retention: [{keepDays: 1}]}'] })
  const file = join(bench.folder, 'config.yaml')
  const first = readFileSync(file, 'utf8')
  const entry = first.slice(first.indexOf('  - name:'))
  const second = entry.replace('name: main', 'name: second').replace('acct-1', 'acct-2')
  const own = second.replace('client-1', 'client-2').replace('env:SECRET', 'client-secret-2')
  writeFileSync(file, `${first}${own}`)
  warehouse = connect({ url: bench.databaseUrl, poolSize: 2 })
  await bench.run('sync', 'whiteboard-archives', '--account', 'second')
})
afterAll(async () => {
  await warehouse.close()
  await bench.close()
})

async function run(...args: string[]) {
  const { code, stdout, stderr } = await bench.run(...args, '--json')
  const json = JSON.parse(stdout) as { accounts: Told[]; bundles: Told[]; intact: boolean }
  return { code, stderr, ...json }
}

interface Told {
  account?: string
  error?: { code: string }
  path?: string
  findings?: { code: string }[]
  notJudged?: string[]
  warnings?: string[]
  checkpoint?: string
}

describe('in a command for two accounts,', () => {
  it('the second is exported even if the first has no signed checkpoint', async () => {
    const out = mkdtempSync(join(bench.folder, 'out-'))
    const days = ['--from', '2026-06-01', '--to', '2026-06-30', '--out', out]
    const { code, stderr, bundles } = await run('audit', 'export', ...days)
    expect(bundles).toMatchObject([
      { account: 'main', error: { code: 'nothing_signed' } },
      { facts: { account: 'second' } },
    ])
    expect(stderr).toContain('Exporting the evidence of account main')
    expect(readdirSync(out)).toEqual(['second-audit-2026-06-01-2026-06-30.zip'])
    expect(code).toBe(1)
  })

  it('the second is exported with warnings about an unknown board and user', async () => {
    const out = mkdtempSync(join(bench.folder, 'out-'))
    const scope = ['--account', 'second', '--user', 'nobody', '--whiteboard', 'nope', '--out', out]
    const days = ['--from', '2026-06-01', '--to', '2026-06-30']
    const { code, stderr, bundles } = await run('audit', 'export', ...days, ...scope)
    const unknown = [
      'No board with the ID nope was found in the data. Check --whiteboard.',
      'Nobody with the ID or e-mail address nobody was found in the data. Check --user.',
    ]
    expect(bundles).toMatchObject([{ warnings: unknown }])
    for (const text of unknown) expect(stderr).toContain(`warning: ${text}`)
    expect(code).toBe(0)
  })

  it('the second is pruned even if the first is busy, which the exit code reports', async () => {
    const busy = { account: 'main', job: 'test', clock: systemClock }
    const lease = await acquireLease(warehouse, busy)
    const { code, accounts } = await run('archive', 'prune', '--yes')
    await lease.release()
    expect(accounts).toMatchObject([{ account: 'main', error: {} }, { account: 'second' }])
    expect(accounts[1]).toHaveProperty('byRule')
    expect(code).toBe(5)
  })

  it('the second is verified even if the first one’s store cannot be opened', async () => {
    const place = join(bench.folder, 'archive', 'main')
    rmSync(place, { recursive: true, force: true })
    writeFileSync(place, 'a file, and no folder')
    const { code, accounts, intact } = await run('verify')
    rmSync(place)
    expect(accounts).toMatchObject([
      { account: 'main', error: {} },
      { account: 'second', findings: [] },
    ])
    expect(intact).toBe(false)
    expect(code).not.toBe(0)
  })

  it('a saved checkpoint is checked in the account that has it', async () => {
    expect((await bench.run('sync', 'whiteboard-archives', '--account', 'main')).code).toBe(0)
    const before = await run('verify')
    const noted = before.accounts[0]?.checkpoint ?? ''
    const { code, accounts, intact } = await run('verify', '--checkpoint', noted)
    expect(accounts).toMatchObject([{ findings: [] }, { findings: [] }])
    const [main, second] = accounts.map(({ notJudged }) => notJudged?.join() ?? '')
    expect(main).not.toContain('--checkpoint SIZE:ROOT')
    expect(second).toContain('--checkpoint SIZE:ROOT')
    expect({ code, intact }).toEqual({ code: 0, intact: true })
    const other = await run('verify', '--checkpoint', noted, '--account', 'second')
    expect(other.accounts).toMatchObject([{ findings: [{ code: 'rolled_back' }] }])
    expect(other.code).toBe(1)
  })

  it('a saved checkpoint that neither account has is reported for both', async () => {
    const { code, accounts } = await run(
      'verify',
      '--checkpoint',
      `1:${Buffer.alloc(32).toString('base64')}`,
    )
    const told = { findings: [{ code: 'rolled_back' }] }
    expect(accounts).toMatchObject([told, told])
    expect(code).toBe(1)
  })
})
