import { afterAll, beforeAll, expect, it } from 'vitest'
import { type AlteringProxy, alteringProxy } from '../cli/altering-proxy.ts'
import { openWorkbench, type Workbench } from '../cli/workbench.ts'
import { PLANTED, POLICY, plant } from './planted.ts'

let bench: Workbench
let proxy: AlteringProxy
beforeAll(async () => {
  bench = await openWorkbench()
  proxy = await alteringProxy(bench.sandbox.url)
  proxy.ways.tell = (asked, told) => {
    plant(asked, told)
    const { users = [], numbers } = told.body as {
      users?: Record<string, unknown>[]
      numbers?: object[]
    }
    // Values of other types, and a record that cannot be stored.
    if (asked.path.endsWith('/users'))
      for (const user of users.slice(0, 3)) user.dept = { name: ['planted dept'] }
    if (asked.path.endsWith('/numbers')) numbers?.push({ display_name: 'planted line' })
  }
})
afterAll(async () => {
  await proxy.close()
  await bench.close()
})

const configure = (columns: object) =>
  bench.configure({
    top: ['logging: {level: debug}'],
    account: [
      `baseUrl: ${proxy.url}/v2`,
      `authUrl: ${proxy.url}`,
      `columns: ${JSON.stringify(columns)}`,
    ],
  })

/** Runs a command that logs everything; returns all that it said, as lines. */
async function linesOf(...args: string[]): Promise<string[]> {
  const { stdout, stderr } = await bench.run(...args, '--verbose')
  return `${stdout}\n${stderr}`.split('\n').filter((line) => line !== '')
}

const planted = (lines: readonly string[]): string[] =>
  lines.filter((line) => line.toLowerCase().includes(PLANTED))

it('no output or log line of a command has a value that the column policy keeps out', async () => {
  configure({})
  expect(planted(await linesOf('preview', 'users'))).not.toEqual([])
  await linesOf('sync', 'users')
  configure(POLICY)
  const said = [
    await linesOf('sync', 'users'),
    await linesOf('erase', '--columns', '--dry-run', '--account', 'main'),
    await linesOf('erase', '--columns', '--yes', '--account', 'main'),
    await linesOf('sync', 'users', 'phone-numbers', 'session-reports', 'user-details'),
    await linesOf('preview', 'users'),
    await linesOf('runs'),
    await linesOf('status'),
    await linesOf('report', 'number-inventory'),
  ]
  expect(said.map(({ length }) => length > 0)).toEqual(said.map(() => true))
  expect(said.flat().length).toBeGreaterThan(100)
  expect(said.flatMap(planted)).toEqual([])
})
