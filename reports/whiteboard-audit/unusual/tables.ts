import type { Table } from '../../../src/core/define/report.ts'
import { tableOf } from '../../shared/query.ts'
import { percent } from '../../shared/words.ts'
import type { JudgedKind, Unusual } from './judge.ts'
import type { UnusualTest } from './tests.ts'
import type { TestDetail } from './traces.ts'
import { KIND_WORDS, ratesOf } from './words.ts'

/** A test, with details from the records. */
export interface DetailedTest {
  test: UnusualTest
  detail: TestDetail | undefined
}

/** Lists the findings, and the tests that came closest to being one. */
export function testsTable(told: readonly DetailedTest[]): Table {
  return tableOf(
    {
      title: 'Findings and near-findings',
      empty: 'No day had enough events and more than any earlier day.',
      columns: [
        { name: 'kind', title: 'Kind', format: 'text' },
        { name: 'number', title: 'Finding', format: 'integer' },
        { name: 'verdict', title: 'Verdict', format: 'text', tint: 'state' },
        { name: 'day', title: 'Day', format: 'date' },
        { name: 'first', title: 'From', format: 'instant' },
        { name: 'last', title: 'To', format: 'instant' },
        { name: 'name', title: 'Who', format: 'text' },
        { name: 'count', title: 'Count', format: 'integer' },
        { name: 'counted', title: 'Counted', format: 'text' },
        { name: 'own', title: 'Own rate', format: 'decimal' },
        { name: 'own_days', title: 'Own days', format: 'integer' },
        { name: 'account', title: 'Account rate', format: 'decimal' },
        { name: 'rate', title: 'False discovery rate', format: 'text' },
        { name: 'boards', title: 'Boards', format: 'integer' },
        { name: 'sessions', title: 'Sessions', format: 'integer' },
        { name: 'email', title: 'E-mail', format: 'text' },
        { name: 'outside', title: 'From outside', format: 'boolean' },
        { name: 'user_id', title: 'User ID', format: 'text' },
      ],
    },
    told.map(({ test, detail }, at) => {
      const { count, own, account } = ratesOf(test)
      return {
        number: at + 1,
        verdict: test.found ? 'unusual' : 'may be chance',
        kind: KIND_WORDS[test.kind].title,
        day: test.day,
        first: detail?.first ?? null,
        last: detail?.last ?? null,
        name: test.kind === 'outsiders' ? `${count} people` : (detail?.name ?? null),
        count,
        counted: KIND_WORDS[test.kind].counted,
        own: own ?? null,
        own_days: test.own.days,
        account,
        rate: test.rate < LEAST_RATE ? `< ${percent(LEAST_RATE)}` : percent(test.rate),
        boards: detail?.boards ?? null,
        sessions: detail?.sessions ?? null,
        email: detail?.email ?? null,
        outside: detail?.outside ?? null,
        user_id: detail?.user_id ?? null,
      }
    }),
  )
}

/** Lists the kinds of tests with their bases. */
export function kindsTable(unusual: Unusual): Table {
  return tableOf(
    {
      title: 'Tests by kind',
      columns: [
        { name: 'kind', title: 'Kind', format: 'text' },
        { name: 'state', title: 'State', format: 'text', tint: 'state' },
        { name: 'tests', title: 'Tests', format: 'integer' },
        { name: 'found', title: 'Findings', format: 'integer' },
        { name: 'days', title: 'Days counted', format: 'integer' },
        { name: 'units', title: 'Person-days', format: 'integer' },
        { name: 'sum', title: 'Base count', format: 'integer' },
        { name: 'why', title: 'Why not tested', format: 'text' },
      ],
    },
    unusual.kinds.map((one) => kindRow(unusual, one)),
  )
}

function kindRow({ tests }: Unusual, { kind, base, tests: count, untold }: JudgedKind) {
  const units = base.reduce((sum, day) => sum + day.units, 0)
  return {
    kind: KIND_WORDS[kind].title,
    state: untold === undefined ? 'tested' : 'not tested',
    tests: untold === undefined ? count : 0,
    found: tests.filter((test) => test.found && test.kind === kind).length,
    days: base.length,
    units: kind === 'outsiders' ? null : units,
    sum: base.reduce((sum, day) => sum + day.sum, 0) + (kind === 'boards' ? units : 0),
    why: untold ?? null,
  }
}

const LEAST_RATE = 0.001
