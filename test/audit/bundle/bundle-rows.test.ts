import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { BundleRows } from '../../../src/audit/bundle/bundle-rows.ts'
import type { Ran } from '../../../src/core/records/when-it-ran.ts'

const HOUR = 3_600_000
const START = Date.parse('2026-07-01T00:00:00Z')
const at = (hours: number): string => new Date(START + hours * HOUR).toISOString()

interface Row {
  subject: string
  line: string
}

let number = 0
const run = (from: number, to: number, more: object = {}): Row => {
  const row = { id: ++number, job: 'reads', epoch: 1, partial: false, state: 'complete' }
  const times = { started_at: at(from), finished_at: at(to) }
  return { subject: `ledger/runs/${number}`, line: JSON.stringify({ ...row, ...times, ...more }) }
}
const audits = (since: number, wait: number, enabled = true): Row => {
  const job = { job: 'reads', enabled, longest_wait_ms: wait * HOUR, streams: [{ stream: 's' }] }
  const settings = { jobs: [job], files: [], retention: [] }
  const line = JSON.stringify({ id: ++number, at: at(since), noted_by: 'x', settings })
  return { subject: `ledger/settings/${number}`, line }
}

/** The page's own class, as the browser has it. */
const scripts = ['promises', 'rows'].map((name) =>
  readFileSync(new URL(`../../../src/audit/page/browser/${name}.js`, import.meta.url), 'utf8'),
)
const pageRows = runInNewContext(`${scripts.join('\n')};() => new Rows()`) as () => Pick<
  BundleRows,
  'add' | 'ran'
>

/** As program and page tell it, of ten days from the start on and a bundle that was made at an hour. */
function told(rows: readonly Row[], exported = 240): (Ran | undefined)[] {
  return [new BundleRows(), pageRows()].map((one) => {
    for (const { subject, line } of rows) one.add(subject, line)
    const ran = one.ran('s', { from: at(0), to: at(240), exported_at: at(exported) })
    return ran && (JSON.parse(JSON.stringify(ran)) as Ran)
  })
}

const gaps = (...times: [number, number][]) =>
  times.map(([from, to]) => ({ from: at(from), to: at(to) }))

describe('program and page alike', () => {
  it.each<[string, Row[], number, [number, number][]]>([
    ['nothing of runs in time', [audits(0, 6), run(0, 1), run(6, 7), run(12, 13)], 14, []],
    ['a start that is an hour late', [audits(0, 6), run(0, 1), run(8, 9)], 10, []],
    ['one that is later', [audits(0, 6), run(0, 1), run(8.1, 9)], 10, [[1, 8.1]]],
    ['a long run, which is no gap', [audits(0, 6), run(0, 30), run(31, 32)], 33, []],
    ['a short run within a long one', [audits(0, 6), run(0, 30), run(5, 6), run(36, 37)], 38, []],
    [
      'a killed run, which ends where it began',
      [audits(0, 6), run(0, 30, { state: 'interrupted' }), run(30, 31)],
      32,
      [[0, 30]],
    ],
    [
      'runs of a part and of other jobs, which fill none',
      [audits(0, 6), run(0, 1), run(4, 5, { partial: true }), run(5, 6, { job: 'x' }), run(9, 10)],
      11,
      [[1, 9]],
    ],
    ['the time until the bundle was made', [audits(0, 6), run(0, 1)], 9, [[1, 9]]],
    [
      'what was configured when it began',
      [audits(0, 6), audits(20, 48), run(0, 1), run(15, 16), run(24, 25), run(72, 73)],
      74,
      [
        [1, 15],
        [16, 24],
      ],
    ],
    [
      'a job that is off, for which a day is due',
      [audits(0, 48, false), run(0, 1), run(26.5, 27)],
      28,
      [[1, 26.5]],
    ],
    ['no gap that is over before', [audits(-99, 6), run(-50, -49), run(-1, 0), run(5, 6)], 7, []],
    ['a gap that reaches into the days', [audits(-99, 6), run(-50, -49), run(5, 6)], 7, [[-49, 5]]],
  ])('tell of %s', (_what, rows, exported, expected) => {
    const [program, page] = told(rows, exported)
    expect(program?.gaps).toEqual(gaps(...expected))
    expect(page).toEqual(program)
  })

  it('tell the first and the last start', () => {
    const [program, page] = told([audits(0, 6), run(6, 7), run(0, 1), run(12, 13)], 14)
    expect(program).toEqual({ runs: 3, first: at(0), last: at(12), gaps: [] })
    expect(page).toEqual(program)
  })

  it('tell nothing where nobody said what is audited, or not in a form of ours', () => {
    const odd = { subject: 'ledger/settings/1', line: '{"at":"x","settings":{"jobs":[null]}}' }
    expect(told([run(0, 1)])).toEqual([undefined, undefined])
    expect(told([odd, run(0, 1)])).toEqual([undefined, undefined])
  })
})
