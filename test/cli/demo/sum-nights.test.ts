import { expect, it } from 'vitest'
import { sumNights } from '../../../src/cli/demo/sum-nights.ts'
import type { RunResult } from '../../../src/sync/run/run-types.ts'

/** The result of a run with one table; `counts`: inserted, updated, unchanged, deleted, present. */
function run(job: string, runId: number, counts: [number, number, number, number, number]) {
  const [inserted, updated, unchanged, deleted, present] = counts
  const table = { inserted, updated, unchanged, deleted, present }
  return { job, runId, tables: { [job]: table } } as unknown as RunResult
}

it.each<[title: string, nights: RunResult[][], summed: RunResult[]]>([
  ['no night', [], []],
  ['one night', [[run('a', 1, [4, 0, 2, 0, 4])]], [run('a', 1, [4, 0, 2, 0, 4])]],
  [
    'a job that ran every night',
    [
      [run('a', 1, [4, 0, 0, 0, 4])],
      [run('a', 2, [1, 2, 2, 1, 4])],
      [run('a', 3, [0, 0, 4, 0, 4])],
    ],
    [run('a', 3, [5, 2, 0, 1, 4])],
  ],
  [
    'a job that ran only in the last night',
    [[run('a', 1, [4, 0, 0, 0, 4])], [run('b', 2, [3, 0, 1, 0, 3]), run('a', 3, [0, 1, 3, 0, 4])]],
    [run('b', 2, [3, 0, 1, 0, 3]), run('a', 3, [4, 1, 0, 0, 4])],
  ],
])('the demo sums the counts of %s', (_title, nights, summed) => {
  expect(sumNights(nights)).toEqual(summed)
})
