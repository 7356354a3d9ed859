import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { olderPrograms } from '../../helpers/older-server.ts'
import { runTests } from '../run-tests.ts'

export interface OlderSummary {
  version: string
  /** Tests that passed against it. */
  passed: number
  violations: string[]
}

/**
 * The tests of the warehouse, of erasures and of whole nights, against the oldest Postgres that is promised.
 * Undefined where this machine does not have it: nothing is shown then.
 */
export function olderLane(): OlderSummary | undefined {
  const programs = olderPrograms()
  if (programs === undefined) return undefined
  const asked = spawnSync(join(programs, 'postgres'), ['--version'], { encoding: 'utf8' })
  const version = asked.stdout.trim()
  const env = { CALLSHEET_TEST_POSTGRES: programs }
  const results = PARTS.map(([project, ...files]) => runTests(project, { files, env }))
  const passed = results.reduce((sum, one) => sum + one.passed, 0)
  const failed = results.flatMap((one) => one.failed.map((test) => `Postgres 15: ${test}`))
  const few = passed < LEAST ? [`only ${passed} tests passed against ${version}`] : []
  return { version, passed, violations: [...failed, ...few] }
}

const PARTS = [
  ['database', 'test/warehouse', 'test/erasure', 'test/sync', 'test/security/rights.db.test.ts'],
  ['lanes', 'test/scenario/truth.test.ts', 'test/scenario/foreign-defaults.test.ts'],
] as const
/** Far fewer than there are. */
const LEAST = 100
