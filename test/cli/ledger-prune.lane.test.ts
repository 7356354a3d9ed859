import { afterAll, beforeAll, expect, it } from 'vitest'
import { openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
beforeAll(async () => {
  bench = await openWorkbench()
  await bench.run('init')
})
afterAll(() => bench.close())

const prune = async (ledger: string, ...args: string[]) => {
  bench.configure({ top: [`ledger: ${ledger}`] })
  return await bench.run('ledger', 'prune', ...args)
}

it('ledger prune removes nothing without the setting keepMonths, and reports this', async () => {
  const { code, stdout } = await prune('{}', '--yes')
  expect(code).toBe(0)
  expect(stdout).toContain('ledger.keepMonths is not set, so nothing is removed.')
})

it('ledger prune requires --dry-run or --yes', async () => {
  const { code, stderr } = await prune('{keepMonths: 6}')
  expect(code).toBe(2)
  expect(stderr).toContain('add --dry-run')
})

it('ledger prune previews the removals, and reports them afterwards', async () => {
  const both = '{keepMonths: 6}'
  const preview = await prune(both, '--dry-run')
  expect(preview.code).toBe(0)
  expect(preview.stdout).toMatch(
    /ledger and related rows, kept from \d{4}-\d\d-01 on\. Would be removed:\n {2}nothing/,
  )
  const { code, stdout } = await prune(both, '--yes', '--json')
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    dryRun: false,
    ledgers: [
      { ledger: 'slices', months: [], rows: {}, putOff: false },
      { ledger: 'notifications', months: [], rows: {}, putOff: false },
    ],
  })
})

it.each(['5', '0', '-1', '6.5', 'six'])(
  'ledger prune refuses to keep only %s months, and names the minimum',
  async (months) => {
    const { code, stderr } = await prune(`{keepMonths: ${months}}`, '--yes')
    expect(code).toBe(2)
    expect(stderr).toContain('ledger.keepMonths: expected a number of months from 6 on')
  },
)
