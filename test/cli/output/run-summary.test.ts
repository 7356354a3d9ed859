import { expect, it } from 'vitest'
import type { Output } from '../../../src/cli/frame/output.ts'
import { printRuns } from '../../../src/cli/output/run-summary.ts'
import type { RunResult } from '../../../src/engine/run/run-types.ts'

function remarksOn(...results: RunResult[]): string[] {
  const notes: string[] = []
  const none = (): void => undefined
  const note = (text: string): void => void notes.push(text)
  const output: Output = { terminal: false, line: none, table: none, note, result: none }
  printRuns(output, 'acme', { results, labels: LABELS })
  return notes
}

const ran = (runId: number, job: string, problems: string[]): RunResult => ({
  runId,
  job,
  state: 'complete',
  problems,
  tables: {},
  slices: {},
  trippedGuards: [],
  notAllowed: {},
  read: [],
  durationMs: 0,
  error: undefined,
})
const kinds = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_none, at) => `slice ${from + at}: reason ${from + at}`)

it('says of more kinds of problems than it lists how many, and where they are', () => {
  const cut = remarksOn(ran(11, 'users', kinds(0, 19)), ran(12, 'recordings', kinds(18, 23)))
  expect(cut.slice(19)).toEqual([
    'slice 19: reason 19',
    '3 more kinds of problems, not listed here: see npm run callsheet -- runs 12',
  ])
  const [last] = remarksOn(ran(11, 'users', kinds(0, 21))).slice(20)
  expect(last).toBe('1 more kind of problem, not listed here: see npm run callsheet -- runs 11')
})

it('says nothing of more where all kinds of problems are listed', () => {
  const all = remarksOn(ran(11, 'users', [...kinds(0, 20), ...kinds(0, 20)]))
  expect(all).toHaveLength(20)
  expect(all.at(-1)).toBe('slice 19, slice 19: reason 19')
})

const spent = { requests: 0, rateLimited: 0, spentToday: 0, dailyLimit: undefined }
const LABELS = { LIGHT: spent, MEDIUM: spent, HEAVY: spent, 'RESOURCE-INTENSIVE': spent }
