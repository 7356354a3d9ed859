import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { useWarehouse } from '../helpers/database.ts'
import { BLOCKS } from './pages.ts'

let warehouse: Warehouse
useWarehouse((opened) => (warehouse = opened), { poolSize: 1 })

describe('SQL in the docs', () => {
  const statements = BLOCKS.filter(({ language }) => language === 'sql').flatMap(
    ({ text, ...at }) =>
      text
        .replaceAll(/^--.*\n/gm, '')
        .split(/;\s*\n|;\s*$/)
        .filter((statement) => statement.trim() !== '')
        .map((statement) => ({ ...at, statement })),
  )

  it('is found by these tests', () => {
    expect(statements.length).toBeGreaterThan(10)
  })

  it.each(statements)(
    '$page:$line runs on a migrated database: $statement',
    async ({ statement }) => {
      await expect(sql.raw(statement).execute(warehouse.db)).resolves.toBeDefined()
    },
  )
})
