import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { start } from './workbench.ts'

const folder = mkdtempSync(join(tmpdir(), 'callsheet-demo-'))
afterAll(() => {
  // If the tests run as root, the embedded server keeps its data elsewhere, behind a link.
  const link = join(folder, '.callsheet/demo/postgres/cluster')
  if (existsSync(link)) rmSync(realpathSync(link), { recursive: true })
  rmSync(folder, { recursive: true, force: true })
})

const demo = (...words: string[]) => start(['demo', ...words], { folder }).ended

it('makes the workbooks, pages and bundle that the README promises, and then finds the changes', async () => {
  const first = await demo()
  expect([first.code, first.stderr]).toEqual([0, expect.not.stringContaining('error:')])
  const [, planned, read] =
    /(?:Coverage: )([\d,]+) of ([\d,]+) planned slices/.exec(first.stdout) ?? []
  expect(planned).toMatch(/^\d/)
  expect(read).toBe(planned)
  const made = readdirSync(join(folder, 'out')).map((name) => name.replace(/^.*\./, ''))
  expect(made.toSorted()).toEqual([...Array(5).fill('html'), ...Array(5).fill('xlsx'), 'zip'])
  const [, check = ''] = /verify (--bundle .+)$/m.exec(first.stdout) ?? []
  const verified = await start(['verify', ...check.split(' ')], { folder }).ended
  expect([verified.code, verified.stdout]).toEqual([
    0,
    expect.stringContaining('Nothing was altered'),
  ])

  const changed = await demo('--mutate')
  expect([changed.code, changed.stderr]).toEqual([0, expect.not.stringContaining('error:')])
  expect(changed.stdout).toMatch(/The company changed [\d,]+ rows: exactly what the sync found\./)
}, 600_000)
