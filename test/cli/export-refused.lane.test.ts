import { afterAll, beforeAll, expect, it } from 'vitest'
import { openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
beforeAll(async () => {
  bench = await openWorkbench()
  await bench.run('init')
  await bench.run('migrate')
})
afterAll(() => bench.close())

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
  [
    'a case without a hold',
    ['--from', '2026-06-01', '--to', '2026-06-01', '--case', 'case-9'],
    'has no hold of this name',
  ],
])('an export with %s is refused', async (_, days, told) => {
  const refused = await bench.run('audit', 'export', ...days)
  expect([refused.code, refused.stderr.replaceAll(/\s+/g, ' ')]).toEqual([
    2,
    expect.stringContaining(told),
  ])
})
