import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { ROOT } from '../tidy/source-files.ts'
import { expectShown, linesOf } from './shown.ts'
import { start } from './workbench.ts'

const folder = mkdtempSync(join(tmpdir(), 'callsheet-demo-'))
afterAll(() => {
  // If the tests run as root, the embedded server keeps its data elsewhere, behind a link.
  const link = join(folder, '.callsheet/demo/postgres/cluster')
  if (existsSync(link)) rmSync(realpathSync(link), { recursive: true })
  rmSync(folder, { recursive: true, force: true })
})

const demo = (...words: string[]) => start(['demo', ...words], { folder }).ended

const files = () => readdirSync(join(folder, 'out'))

it('demo reads the company on the first night, and makes the files that the README promises', async () => {
  const { code, stdout, stderr } = await demo()
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('error:')])
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const [, shown = ''] = /## Try the demo[^]*?```text\n([^]*?)```/.exec(readme) ?? []
  expect(linesOf(shown).length).toBeGreaterThan(10)
  expectShown(stdout, linesOf(shown))
  expect(stdout).toMatch(/^1\. Start the simulated company: 4,000 users, 8,000 phone numbers,$/m)
  // The simulated company is four nights old, but this database has no users yet.
  expect(stdout).toMatch(/^ +2026-04-02 {2}4,000 new users, 8,130 new phone numbers$/m)
  expect(stdout).toMatch(/^users +4,000 +0 +0 +0 +4,000 /m)
  const [, read, planned] = /Coverage: ([\d,]+) of ([\d,]+) planned slices/.exec(stdout) ?? []
  expect(planned).toMatch(/^\d/)
  expect(read).toBe(planned)
  const made = files().map((name) => name.replace(/^.*\./, ''))
  const [pages, books] = [Array(6).fill('html'), Array(6).fill('xlsx')]
  expect(made.toSorted()).toEqual([...pages, ...books, 'zip'])
  for (const name of files()) expect(stdout).toMatch(new RegExp(`^   out/${name} `, 'm'))
  const [, check = ''] = /verify (--bundle .+)$/m.exec(stdout) ?? []
  const verified = await start(['verify', ...check.split(' ')], { folder }).ended
  expect([verified.code, verified.stdout]).toEqual([
    0,
    expect.stringContaining('Nothing was altered'),
  ])
}, 600_000)

it('demo finds the company’s changes of a night, and keeps the database open for queries', async () => {
  const { child, ended } = start(['demo', '--mutate', '--database'], { folder })
  let said = ''
  child.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await expect.poll(() => said, { timeout: 500_000 }).toContain('Press Ctrl-C')
  child.kill('SIGINT')
  const { code, stdout } = await ended
  expect(code).toBe(130)
  expect(stdout).toMatch(/The company changed [\d,]+ rows since the last night: exactly what/)
  const [, changed = ''] = /^10 of the changed rows.*\n([^]*?)\n\n/m.exec(stdout) ?? []
  expect(changed.match(/^ {4}\S.* \w+: .+ -> .+$/gm)).toHaveLength(10)
  expect(stdout).toContain("psql 'postgresql://")
  const nights = files().filter((name) => /^demo-number-inventory.*xlsx$/.test(name))
  expect(nights).toEqual([
    'demo-number-inventory-2026-07-08.xlsx',
    'demo-number-inventory-2026-07-09.xlsx',
  ])
  const [, since = ''] = /^ .*(report number-inventory --since .*)$/m.exec(stdout) ?? []
  const compared = await start(since.split(' '), { folder }).ended
  expect(compared).toMatchObject({ code: 0, stdout: expect.stringContaining('as of 2026-07-09') })
}, 600_000)

it('demo finds no changed users after a night without changes', async () => {
  const { code, stdout } = await demo()
  expect([code, stdout]).toEqual([0, expect.stringContaining('exactly what the sync found')])
  expect(stdout).toMatch(/^users +0 +0 +[\d,]+ +0 /m)
}, 600_000)
