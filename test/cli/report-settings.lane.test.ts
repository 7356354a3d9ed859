import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readWorkbook } from '../reports/workbook.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
beforeAll(async () => {
  bench = await openWorkbench()
  await bench.run('sync', 'session-reports')
})
afterAll(() => bench.close())

const withGroups = (...groups: string[]) =>
  bench.configure({
    top: [
      'reports:',
      '  settings:',
      '    session-quality:',
      '      targets: {audio: 0.01}',
      `      keyGroups: [${groups.join(', ')}]`,
    ],
  })

it('report uses the configured targets and key groups in the workbook', async () => {
  withGroups(`{name: Sales, pattern: '^sales-'}`)
  await bench.run('report', 'session-quality')
  const out = join(bench.folder, 'out')
  const [file = ''] = readdirSync(out).filter((name) => name.endsWith('.xlsx'))
  const book = await readWorkbook(join(out, file))
  expect(book.records('Key groups', 'Group')[0]).toMatchObject({ Group: 'Sales' })
  expect(book.records('Targets', 'Quality of')[0]).toMatchObject({ 'Bad at most': 0.01 })
})

it('report explains why the reconciliation of a day before the first run does not balance', async () => {
  const { code, stderr } = await bench.run('report', 'reconciliation', '--day', '2026-07-01')
  expect(stderr).toMatch(
    /^warning: the day does not balance: .*before the account’s first run.*\n$/,
  )
  expect(code).toBe(4)
})

it('report refuses an invalid pattern of a key group, and names its place in the configuration', async () => {
  withGroups(`{name: Sales, pattern: '^(sales'}`)
  const { code, stderr } = await bench.run('report', 'session-quality')
  expect(code).not.toBe(0)
  expect(stderr).toMatch(/reports\.settings\.session-quality\.keyGroups.*pattern/)
  expect(stderr).toMatch(/a regular expression: Unterminated group/)
})
