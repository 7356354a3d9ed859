import { afterAll, beforeAll, expect, it } from 'vitest'
import { openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
beforeAll(async () => {
  bench = await openWorkbench()
  await bench.run('init')
  await bench.run('migrate')
})
afterAll(() => bench.close())

const NEW = ['--case', 'case-9', '--reason', 'litigation', '--asked-by', 'the court of X']

it.each([
  [
    'days in the wrong order',
    ['--from', '2026-06-02', '--to', '2026-06-01'],
    'is after the last day',
  ],
  [
    'an unknown time zone',
    ['--from', '2026-06-01', '--to', '2026-06-01', '--timezone', 'Mars/Base'],
    'Mars/Base',
  ],
])('an export that is refused because of %s places no hold', async (_, days, told) => {
  const refused = await bench.run('audit', 'export', ...days, ...NEW)
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(told)])
  const { stdout } = await bench.run('archive', 'hold', 'list', '--json')
  expect(stdout).not.toContain('case-9')
})
