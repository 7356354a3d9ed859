import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connect } from '../../src/warehouse/connect.ts'
import { BLOCKS } from '../docs/pages.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
beforeAll(async () => void (bench = await openWorkbench()))
afterAll(() => bench.close())

interface Shown {
  columns: { column: string; pg: string }[]
  records: Record<string, string | null>[]
  drift: object[]
  unusable: number
}

/** The lines of an output, without the widths of columns and the values of the records. */
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line !== '...' && line !== '')
    .map((line) => line.replace(/\d+\/10.*/, 'N/10').replaceAll(/ +/g, ' '))

async function preview(stream: string): Promise<Shown> {
  const { code, stdout } = await bench.run('preview', stream, '--json')
  expect(code).toBe(0)
  return JSON.parse(stdout) as Shown
}

it('preview shows ten records as they would be stored, before the first sync, and stores none', async () => {
  const { code, stdout, stderr } = await bench.run('preview', 'users')
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^column +type +filled +first value$/m)
  expect(stdout).toMatch(/^id +text +10\/10 +\S+$/m)
  expect(stdout).toMatch(/^created_at +timestamptz +\d+\/10 /m)
  const [, ...shown] = linesOf(
    BLOCKS.find(
      ({ page, language }) => page === 'docs/run-every-night.md' && language === 'console',
    )?.text ?? '',
  )
  expect(shown.length).toBeGreaterThan(5)
  expect(linesOf(stdout)).toEqual(expect.arrayContaining(shown))
  const previewed = await preview('users')
  expect(previewed).toMatchObject({ unusable: 0 })
  const warehouse = connect({ url: bench.databaseUrl, poolSize: 1 })
  const { rows } = await sql`select (select count(*)::int from svc.users) as users,
    (select count(*)::int from callsheet.runs) as runs,
    (select sum(spent)::int > 0 from callsheet.quota) as counted`.execute(warehouse.db)
  await warehouse.close()
  expect(rows).toEqual([{ users: 0, runs: 0, counted: true }])
  await bench.run('sync', 'users')
  const after = connect({ url: bench.databaseUrl, poolSize: 1 })
  const stored = await sql<{ email: string | null }>`select email from svc.users
    where id = ${previewed.records[0]?.id}`.execute(after.db)
  await after.close()
  expect(stored.rows).toEqual([{ email: previewed.records[0]?.email }])
})

it('preview shows lists per parent, windows and nested rows, without transient fields', async () => {
  for (const stream of ['user_details', 'session_reports', 'recording_files']) {
    const { records, columns } = await preview(stream)
    expect(records).toHaveLength(10)
    expect(columns.length).toBeGreaterThan(5)
    expect(JSON.stringify(records)).not.toMatch(/download_url|access_token|download_access_token/)
  }
})

it('preview suggests a similar name for an unknown stream', async () => {
  const { code, stderr } = await bench.run('preview', 'userz')
  expect(code).toBe(2)
  expect(stderr).toContain('did you mean users?')
})
