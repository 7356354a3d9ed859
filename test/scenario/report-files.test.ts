import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { ReportFormat } from '../../src/core/define/report-format.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { type TestDatabase, testDatabase } from '../helpers/database.ts'
import { reportInProcess } from '../helpers/report-process.ts'
import * as fixture from '../reports/fixture.ts'

let database: TestDatabase
let warehouse: Warehouse
let directory: string
let tries = 0

beforeAll(async () => {
  database = await testDatabase()
  warehouse = connect({ url: database.url, poolSize: 2 })
  const at = '2026-11-19T01:00:00Z'
  const users = await fixture.insertRun(warehouse, fixture.usersRun('acme', at))
  const numbers = await fixture.insertRun(warehouse, fixture.numbersRun('acme', at))
  await fixture.insertNumbers(warehouse, {
    account: 'acme',
    runIds: [users, numbers],
    count: 5_000,
  })
})
afterAll(async () => {
  await warehouse.close()
  await database.drop()
})
beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-files-'))
  await chmod(folder, 0o755)
  directory = join(folder, `out-${++tries}`)
  await mkdir(directory)
  return () => rm(folder, { recursive: true })
})

const order = (format: ReportFormat) => ({
  databaseUrl: database.url,
  account: 'acme',
  report: 'number-inventory',
  directory,
  format,
})

/** The number of published reports in the database. */
async function recorded(): Promise<number> {
  const { rows } = await warehouse.pool.query<{ count: number }>(
    'select count(*) from callsheet.published_reports',
  )
  return rows[0]?.count ?? -1
}

it.each<ReportFormat>(['xlsx', 'html', 'csv'])(
  'a full disk during a report (%s) is reported, and no partial file remains',
  async (format) => {
    const before = await recorded()
    // 64 KB: each of the three formats needs more.
    const end = await reportInProcess(order(format), 'ulimit -f 64')
    expect(end).toEqual({
      code: 0,
      signal: null,
      said: [
        {
          code: 'reports_not_written',
          came: 'the file is larger than this process may write',
          files: 0,
        },
      ],
    })
    expect(await readdir(directory)).toEqual([])
    expect(await recorded()).toBe(before)
  },
)

it('an unwritable folder is reported before any data is read', async () => {
  await chmod(directory, 0o555)
  const { said } = await reportInProcess({ ...order('xlsx'), humble: true })
  expect(said).toEqual([
    { code: 'reports_directory', came: 'this user has no permission', files: 0 },
  ])
  expect(await readdir(directory)).toEqual([])
})

it('reaching the limit of open files is reported, and a later attempt succeeds', async () => {
  const { said } = await reportInProcess({ ...order('xlsx'), withoutFiles: true }, 'ulimit -n 80')
  const came = 'too many files are open in this process'
  expect(said).toEqual([
    { code: 'reports_not_written', came, files: 0 },
    { code: '', came: '', files: 1 },
  ])
  expect(await readdir(directory)).toEqual(['acme-number-inventory-2026-11-19.xlsx'])
})
