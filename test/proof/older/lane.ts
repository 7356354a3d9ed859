import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { olderPrograms } from '../../helpers/older-server.ts'

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
  const results = PARTS.map(([project, ...files]) => runTests(programs, project, files))
  const passed = results.reduce((sum, one) => sum + one.passed, 0)
  const failed = results.flatMap((one) => one.failed)
  const few = passed < LEAST ? [`only ${passed} tests passed against ${version}`] : []
  return { version, passed, violations: [...failed, ...few] }
}

interface Report {
  success: boolean
  numPassedTests: number
  testResults: {
    name: string
    status: string
    assertionResults: { status: string; fullName: string }[]
  }[]
}

function runTests(programs: string, project: string, files: readonly string[]) {
  const output = join(tmpdir(), `callsheet-older-${process.pid}-${project}.json`)
  const options = ['run', '--project', project, '--reporter=json', '--outputFile', output, ...files]
  const env = { ...process.env, CALLSHEET_TEST_POSTGRES: programs }
  spawnSync(process.execPath, [VITEST, ...options], { cwd: ROOT, env, stdio: 'ignore' })
  try {
    const report = JSON.parse(readFileSync(output, 'utf8')) as Report
    const failed = report.testResults.flatMap(({ name, status, assertionResults: tests }) => {
      const named = tests.filter((test) => test.status === 'failed').map((test) => test.fullName)
      return status === 'failed' && named.length === 0 ? [name] : named
    })
    if (!report.success && failed.length === 0) failed.push(`${project}: vitest failed`)
    return { passed: report.numPassedTests, failed: failed.map((test) => `Postgres 15: ${test}`) }
  } catch {
    return { passed: 0, failed: [`Postgres 15: the tests of ${project} did not run`] }
  } finally {
    rmSync(output, { force: true })
  }
}

const ROOT = join(import.meta.dirname, '..', '..', '..')
const VITEST = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
const PARTS = [
  [
    'database',
    'test/warehouse',
    'test/erase',
    'test/engine/retention',
    'test/security/rights.db.test.ts',
  ],
  ['lanes', 'test/scenario/truth.test.ts', 'test/scenario/foreign-defaults.test.ts'],
] as const
/** Far fewer than there are. */
const LEAST = 100
