import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Report {
  success: boolean
  numPassedTests: number
  testResults: {
    name: string
    status: string
    assertionResults: { status: string; fullName: string }[]
  }[]
}

/** Runs tests of a project in a process of their own: how many passed, and the names of the others. */
export function runTests(
  project: string,
  { files = [], env }: { files?: readonly string[]; env: Readonly<Record<string, string>> },
): { passed: number; failed: string[] } {
  const output = join(tmpdir(), `callsheet-tests-${process.pid}-${project}.json`)
  const options = ['run', '--project', project, '--reporter=json', '--outputFile', output, ...files]
  spawnSync(process.execPath, [VITEST, ...options], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: 'ignore',
  })
  try {
    const report = JSON.parse(readFileSync(output, 'utf8')) as Report
    const failed = report.testResults.flatMap(({ name, status, assertionResults: tests }) => {
      const named = tests.filter((test) => test.status === 'failed').map((test) => test.fullName)
      return status === 'failed' && named.length === 0 ? [name] : named
    })
    if (!report.success && failed.length === 0) failed.push(`${project}: vitest failed`)
    return { passed: report.numPassedTests, failed }
  } catch {
    return { passed: 0, failed: [`the tests of ${project} did not run`] }
  } finally {
    rmSync(output, { force: true })
  }
}

const ROOT = join(import.meta.dirname, '..', '..')
const VITEST = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
