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

it('ledger prune requires --yes', async () => {
  const { code, stderr } = await prune('{keepMonths: 6}')
  expect(code).toBe(2)
  expect(stderr).toContain('--yes is missing (ledger.keepMonths is 6)')
})

it('ledger prune reports that nothing was old enough to be removed', async () => {
  const both = '{keepMonths: 6}'
  const said = await prune(both, '--yes')
  expect(said.code).toBe(0)
  expect(said.stdout).toMatch(
    /ledger and related rows, kept from \d{4}-\d\d-01 on\. Removed:\n {2}nothing/,
  )
  const { code, stdout } = await prune(both, '--yes', '--json')
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
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
