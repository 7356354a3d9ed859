import type { Note, Table } from '../../src/core/define/report.ts'
import { tableColumns, tableOf } from '../shared/query.ts'
import type { Line } from './lines.ts'
import { syncing } from './remedies.ts'
import { type DayVerdict, WORST_FIRST } from './verdict.ts'

type Unbalanced = (typeof WORST_FIRST)[number]

/** Streams with the same verdict and the same remedy. */
interface Group {
  verdict: Unbalanced
  lines: readonly Line[]
  todo: string
  settled: boolean
}

/** Groups unbalanced streams by verdict and remedy. Groups that need a person come first, the worst first. */
function groupsOf(lines: readonly Line[], account: string): Group[] {
  const groups = WORST_FIRST.flatMap((verdict) => {
    const some = lines.filter((line) => line.verdict === verdict)
    const same = Map.groupBy(some, ({ jobToRun, readBy, todo }) =>
      jobToRun === undefined ? (readBy === undefined ? todo : 'read') : 'sync',
    )
    return [...same.values()].map((of): Group => {
      return { verdict, lines: of, todo: todoOf(of, account), settled: of[0]?.settled === true }
    })
  })
  return groups.toSorted((a, b) => Number(a.settled) - Number(b.settled))
}

function todoOf(same: readonly Line[], account: string): string {
  const jobs = [...new Set(same.flatMap(({ jobToRun }) => jobToRun ?? []))]
  if (jobs.length > 0) return `Run "${syncing(jobs, account)}".`
  const [first, ...others] = new Set(same.map(({ todo }) => todo))
  return others.length === 0 ? (first ?? '') : 'Nothing to do: later runs have read them since.'
}

/** Returns at most three sentences: which streams do not balance, why, and what to do. */
export function remedyNotes(lines: readonly Line[], account: string): Note[] {
  return groupsOf(lines, account)
    .filter(({ verdict }) => verdict !== 'counted twice' && verdict !== 'low volume')
    .slice(0, MOST_NOTES)
    .map(({ verdict, lines: same, todo, settled }) => {
      const [one, more] = SAID[verdict]
      const [first] = same
      const why = TELLING.has(verdict) ? `: ${first?.why}` : ''
      const what =
        same.length === 1
          ? `${first?.stream} ${one}${why}`
          : `${same.length} streams ${more}: ${namesOf(same, MOST_IN_SENTENCE)}`
      const tone = settled ? 'plain' : BAD.has(verdict) ? 'bad' : 'warning'
      return { kind: 'note', tone, text: `${what}. ${todo}`, link: 'Streams' }
    })
}

const COLUMNS = tableColumns([
  { name: 'verdict', title: 'Verdict', format: 'text', tint: 'state' },
  { name: 'what', title: 'Streams, and what to do', format: 'text' },
  { name: 'streams', title: 'Streams', format: 'integer' },
])

/** Lists what to do. It has few columns, which a phone shows whole. The sheet Streams has each stream. */
export function remedyTable(lines: readonly Line[], account: string): Table {
  const rows = groupsOf(lines, account).map(({ verdict, lines: same, todo }) => {
    const reasons = [...new Set(same.map(({ why }) => why))]
    const why = reasons.length === 1 && reasons[0] !== '' ? `: ${reasons[0]}` : ''
    return {
      verdict,
      what: `${namesOf(same, MOST_IN_TABLE)}${why}. ${todo}`,
      streams: same.length,
    }
  })
  const empty = 'Every stream balances.'
  return tableOf({ title: 'Streams that do not balance', columns: COLUMNS, empty }, rows)
}

function namesOf(lines: readonly Line[], most: number): string {
  const names = lines.map(({ stream }) => stream)
  if (names.length <= most) return names.join(', ')
  return `${names.slice(0, most - 1).join(', ')} and ${names.length - most + 1} others`
}

export const SAID = {
  'does not add up': ['does not add up', 'do not add up'],
  incomplete: ['is incomplete', 'are incomplete'],
  'not read': ['was not read', 'were not read'],
  quarantined: ['has quarantined records', 'have quarantined records'],
  'low volume': ['has far fewer records than before', 'have far fewer records than before'],
  'counted twice': ['has a list that was read again', 'have a list that was read again'],
  'not allowed': ['is not allowed', 'are not allowed'],
  'never read': ['was never read', 'were never read'],
} as const satisfies Record<Unbalanced, readonly [one: string, more: string]>

/** The verdicts whose reason says more than the verdict. */
const TELLING: ReadonlySet<DayVerdict['verdict']> = new Set([
  'does not add up',
  'incomplete',
  'quarantined',
  'not allowed',
])
/** The verdicts that mean missing data or missing proof. */
export const BAD: ReadonlySet<DayVerdict['verdict']> = new Set([
  'does not add up',
  'incomplete',
  'not read',
])
const MOST_NOTES = 3
const MOST_IN_SENTENCE = 3
const MOST_IN_TABLE = 6
