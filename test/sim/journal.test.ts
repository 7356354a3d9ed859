import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openJournal } from './journal.ts'
import type { Report } from './worker.ts'

let directory: string
let file: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'callsheet-journal-'))
  file = join(directory, 'sim.jsonl')
})
afterEach(() => rmSync(directory, { recursive: true }))

test('an interrupted run finds its finished work, except for a partly written line', () => {
  const begun = openJournal(file, { seeds: 9 })
  begun.add(4, report(104))
  begun.add(1, report(101))
  appendFileSync(file, '{"at":7,"rep')
  const again = openJournal(file, { seeds: 9 })
  expect([...again.done]).toEqual([
    [4, report(104)],
    [1, report(101)],
  ])
  again.add(7, report(107))
  expect([...openJournal(file, { seeds: 9 }).done.keys()]).toEqual([4, 1, 7])
})

test('a run of other seeds is refused, and the journal stays unchanged', () => {
  openJournal(file, { seeds: 9 }).add(4, report(104))
  appendFileSync(file, 'half a line')
  const before = readFileSync(file, 'utf8')
  expect(() => openJournal(file, { seeds: 10 })).toThrow(/is of another run.*remove it/)
  expect(readFileSync(file, 'utf8')).toBe(before)
})

function report(seed: number): Report {
  return { seed, violations: [], traceHash: 'a'.repeat(64) } as unknown as Report
}
