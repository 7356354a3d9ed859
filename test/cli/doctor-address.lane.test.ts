import { afterAll, beforeAll, expect, it } from 'vitest'
import { openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
beforeAll(async () => {
  bench = await openWorkbench({ readings: { apiUrl: 'elsewhere' } })
})
afterAll(() => bench.close())

it('doctor reports another API address in the token, and whether it is allowed', async () => {
  const examined = async (...account: string[]) => {
    bench.configure({ account })
    const { code, stdout } = await bench.run('doctor', '--json')
    const { findings } = JSON.parse(stdout) as {
      findings: { check: string; state: string; text: string; todo?: string }[]
    }
    return { code, address: findings.filter(({ check }) => check === 'main API address') }
  }
  expect(await examined()).toMatchObject({
    code: 0,
    address: [
      {
        state: 'warning',
        text: expect.stringContaining('https://api.elsewhere.example') as string,
        todo: expect.stringContaining('add api.elsewhere.example to apiHosts') as string,
      },
    ],
  })
  expect(await examined('apiHosts: [other.example]')).toMatchObject({
    code: 1,
    address: [
      {
        state: 'failed',
        text: expect.stringContaining('does not allow the host api.elsewhere.example') as string,
        todo: expect.stringContaining("add it to the account's apiHosts") as string,
      },
    ],
  })
})
