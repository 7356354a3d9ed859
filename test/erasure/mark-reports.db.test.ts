import { type KyselyPlugin, sql } from 'kysely'
import { expect, it } from 'vitest'
import { markReports } from '../../src/erasure/mark-reports.ts'
import type { ReportMarks } from '../../src/erasure/sql/sent-reports.ts'
import type { Transaction } from '../../src/warehouse/connect.ts'
import { useRoster } from './roster.ts'

const stage = useRoster()
const SINCE_MS = Date.parse('2026-10-01T01:00:00Z')

it('an erasure marks each publication once, however many of its transactions change rows', async () => {
  const account = 'often'
  await stage.seed(account)
  for (let time = 0; time < 3; time++) await stage.publish(account, {}, ['html'])
  const marks: ReportMarks = { covered: new Set() }
  const read: number[] = []
  const batch = async (stream: string | undefined, undo = false): Promise<number[]> => {
    let rows = 0
    const counting: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult({ result }) {
        rows += result.rows.length
        return Promise.resolve(result)
      },
    }
    // Without known reports, a publication covers the rows of every stream.
    const marking = { account, reports: { all: [] }, marks }
    const touched = { stream, days: undefined, sinceMs: SINCE_MS }
    const work = (tx: Transaction) => markReports(tx.withPlugin(counting), marking, touched)
    const covered = await stage.warehouse.transaction(work, { undo })
    read.push(rows)
    return covered
  }
  // A transaction that is rolled back marks nothing, so the next one marks all.
  expect(await batch('users', true)).toHaveLength(3)
  expect(await marked(account)).toBe(0)
  for (const id of await batch('users')) marks.covered.add(id)
  expect(await marked(account)).toBe(3)
  expect(await batch('users')).toEqual([])
  await stage.publish(account, {}, ['html'])
  expect(await batch('users')).toHaveLength(1)
  expect(read).toEqual([3, 3, 0, 1])
})

async function marked(account: string): Promise<number> {
  const { rows } = await sql`select from callsheet.published_reports
    where account = ${account} and files->0->>'erasing' = 'true'`.execute(stage.warehouse.db)
  return rows.length
}
