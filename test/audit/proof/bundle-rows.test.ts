import { describe, expect, it } from 'vitest'
import { BundleRows } from '../../../src/audit/proof/bundle-rows.ts'
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

/** The runs within ten days, from a bundle that was exported at the given hour. */
function told(rows: readonly Row[], exported = 240): Ran | undefined {
  const all = new BundleRows()
  for (const [seq, { subject, line }] of rows.entries()) all.add({ seq, subject }, line)
  return all.ran('s', { from: at(0), to: at(240), exported_at: at(exported) })
}

const gaps = (...times: [number, number][]) =>
  times.map(([from, to]) => ({ from: at(from), to: at(to) }))

describe('the logged runs in a bundle', () => {
  it.each<[string, Row[], number, [number, number][]]>([
    ['no gap between runs in time', [audits(0, 6), run(0, 1), run(6, 7), run(12, 13)], 14, []],
    ['no gap before a start that is an hour late', [audits(0, 6), run(0, 1), run(8, 9)], 10, []],
    ['a gap before an even later start', [audits(0, 6), run(0, 1), run(8.1, 9)], 10, [[1, 8.1]]],
    ['no gap during a long run', [audits(0, 6), run(0, 30), run(31, 32)], 33, []],
    [
      'no gap after a run within a long run',
      [audits(0, 6), run(0, 30), run(5, 6), run(36, 37)],
      38,
      [],
    ],
    [
      'a gap from the start of a killed run',
      [audits(0, 6), run(0, 30, { state: 'interrupted' }), run(30, 31)],
      32,
      [[0, 30]],
    ],
    [
      'a gap that only partial runs and other jobs fill',
      [audits(0, 6), run(0, 1), run(4, 5, { partial: true }), run(5, 6, { job: 'x' }), run(9, 10)],
      11,
      [[1, 9]],
    ],
    ['a gap until the bundle was exported', [audits(0, 6), run(0, 1)], 9, [[1, 9]]],
    [
      'gaps by the settings in force when each began',
      [audits(0, 6), audits(20, 48), run(0, 1), run(15, 16), run(24, 25), run(72, 73)],
      74,
      [
        [1, 15],
        [16, 24],
      ],
    ],
    [
      'a gap of more than a day for a disabled job',
      [audits(0, 48, false), run(0, 1), run(26.5, 27)],
      28,
      [[1, 26.5]],
    ],
    [
      'no gap that ended before the period',
      [audits(-99, 6), run(-50, -49), run(-1, 0), run(5, 6)],
      7,
      [],
    ],
    [
      'a gap that extends into the period',
      [audits(-99, 6), run(-50, -49), run(5, 6)],
      7,
      [[-49, 5]],
    ],
    [
      'a gap from the first settings on if no run before the first one in the period is listed',
      [audits(-99, 6), run(5, 6)],
      7,
      [[-99, 5]],
    ],
    ['no gap between the first settings and a first run in time', [audits(0, 6), run(6, 7)], 8, []],
    [
      'a gap from the first settings to the export if no run is listed',
      [audits(-99, 6)],
      240,
      [[-99, 240]],
    ],
    ['no gap before the first settings', [audits(100, 6), run(102, 103)], 104, []],
    [
      'no gap between settings and a run that both precede the period',
      [audits(-99, 6), run(-5, -1), run(5, 6)],
      7,
      [],
    ],
  ])('show %s', (_what, rows, exported, expected) => {
    expect(told(rows, exported)?.gaps).toEqual(gaps(...expected))
  })

  it('show the start of the first and of the last run', () => {
    const ran = told([audits(0, 6), run(6, 7), run(0, 1), run(12, 13)], 14)
    expect(ran).toEqual({ runs: 3, first: at(0), last: at(12), gaps: [] })
  })

  it('show nothing if the audit settings are missing or invalid', () => {
    const odd = { subject: 'ledger/settings/1', line: '{"at":"x","settings":{"jobs":[null]}}' }
    expect(told([run(0, 1)])).toBeUndefined()
    expect(told([odd, run(0, 1)])).toBeUndefined()
  })
})
