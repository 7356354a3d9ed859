import { afterAll, beforeAll, expect, it } from 'vitest'
import { openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
beforeAll(async () => {
  bench = await openWorkbench()
})
afterAll(() => bench.close())

it('plan estimates the calls of the first sync, and counts its own calls', async () => {
  const { code, stdout, stderr } = await bench.run('plan')
  expect([code, stderr]).toEqual([0, ''])
  const [, calls = '0'] = /^First sync: about ([\d,]+) calls, about \d\S* /m.exec(stdout) ?? []
  // The estimate counts pages, not only one call per list.
  expect(Number(calls.replaceAll(',', ''))).toBeGreaterThan(300)
  expect(stdout).toMatch(/^user-details +user_details +\d+ +\d+ +about +LIGHT/m)
  expect(stdout).toMatch(
    /^The plan itself made \d+ calls \((?:[A-Z-]+ \d+(?:, )?)+\) for first pages of lists that were/m,
  )
  // The rates of the table are lower than the quotas, so the reserve is named below it.
  expect(stdout).toContain('leave 10 % of each quota to other apps of the account')
  const json = JSON.parse((await bench.run('plan', 'users', '--json')).stdout) as {
    accounts: { asked: object; streams: object[] }[]
  }
  expect(json.accounts[0]).toMatchObject({
    asked: { MEDIUM: 3 },
    streams: [{ stream: 'users', first: true, expectedCalls: 4 }],
  })
})

it('plan reports a minimum, and the unknown page counts, if the service is unavailable', async () => {
  bench.configure({ account: ['authUrl: http://127.0.0.1:9', 'baseUrl: http://127.0.0.1:9/v2'] })
  const { code, stdout } = await bench.run('plan', 'users', 'user-details')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^First sync: at least \d+ calls/m)
  expect(stdout).toContain('Could not request lists that were never read.')
  expect(stdout).toMatch(
    /^Unknown until they are read: the number of pages of users, user_details\.$/m,
  )
})
