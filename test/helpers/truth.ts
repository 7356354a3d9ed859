import { expect } from 'vitest'
import type { Sandbox } from '../../sandbox/server/server.ts'
import type { Stream } from '../../src/core/define/stream.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { findDifferences } from './differences.ts'

/** Fails unless each stream's table matches the sandbox's data. */
export async function expectTruth(
  warehouse: Warehouse,
  sandbox: Sandbox,
  of: { account: string; accountId?: string; streams: readonly Stream[] },
): Promise<void> {
  const { rows, differences } = await findDifferences(warehouse, sandbox, of)
  expect(differences).toEqual([])
  expect(rows, 'rows to compare').toBeGreaterThan(of.streams.length)
}
