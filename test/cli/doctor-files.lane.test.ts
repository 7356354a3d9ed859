import { afterAll, beforeAll, expect, it } from 'vitest'
import { TINY } from '../helpers/world.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
beforeAll(async () => {
  // Enough records that some have recent files.
  const sizes = { ...TINY, whiteboards: 300, activities: 2_000 }
  bench = await openWorkbench({ sizes, readings: { fileHost: 'query', apiUrl: 'elsewhere' } })
})
afterAll(() => bench.close())

async function filesBy(hosts: string) {
  bench.configure({ top: [`archive: {recordings: true, hosts: ${hosts}}`] })
  const { stdout } = await bench.run('doctor', '--json')
  const { findings } = JSON.parse(stdout) as {
    findings: { check: string; state: string; text: string; todo?: string }[]
  }
  return findings.filter(({ check }) => check === 'main files')
}

it('doctor lists the hosts of files, and those without a setting', async () => {
  const { fileHost } = bench.sandbox
  const found = await filesBy('[]')
  const recordings = found.find(({ text }) => text.includes('recordings'))
  expect(recordings).toMatchObject({ state: 'failed' })
  expect(recordings?.text).toContain(`lie on ${fileHost}, which archive.hosts does not name`)
  expect(recordings?.todo).toContain(`{host: ${fileHost}, credential: jwt or jwt-in-query`)
  const activities = found.find(({ text }) => text.includes('activities'))
  expect(activities).toMatchObject({ state: 'failed' })
  expect(activities?.todo).toContain(`{host: ${fileHost}, credential: account}`)
  const host = `host: "${fileHost}"`
  expect(
    await filesBy(`[{${host}, credential: account}, {${host}, credential: jwt-in-query}]`),
  ).toMatchObject([
    { state: 'ok', text: expect.stringContaining('trusts with account') as string },
    { state: 'ok', text: expect.stringContaining('trusts with jwt-in-query') as string },
  ])
})

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
