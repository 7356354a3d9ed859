import { sql } from 'kysely'
import type { ChartBlock, Section, TableColumn } from '../../src/core/define/report.ts'
import { chart, section } from '../shared/blocks.ts'
import { mondayOf } from '../shared/calendar.ts'
import { tableOf } from '../shared/query.ts'
import { sumOf } from '../shared/statistics.ts'
import { type Counts, type Grouping, type QualityFacts } from './facts.ts'
import { type KeyWeeks, keepEarlierKeyWeeks } from './key-weeks.ts'
import { badSeries, kindColumns, kindShares, shareMap, TOO_FEW_TEXT } from './kind-shares.ts'
import { KINDS, NO_KEY, nothingRead, type QualityKind, type SessionSource } from './source.ts'

/** Shows the month by the configured groups of session keys; nothing without groups. */
export function groupSections(
  source: SessionSource,
  facts: QualityFacts,
  read: readonly GroupWeek[],
): Section[] {
  const { keyGroups } = source.settings
  if (keyGroups.length === 0) return []
  const weeks = facts.month === undefined ? [] : read
  const names = [...keyGroups.map(({ name }) => name), null]
  const groups = names.map((name) => ({ name, weeks: weeks.filter((week) => week.name === name) }))
  // An owner's report omits groups without a session of the owner, because they may be another owner's.
  const all = source.owner === undefined
  const shown = groups.filter(({ name, weeks: own }) => (all && name !== null) || own.length > 0)
  const title = 'Key groups'
  const columns: TableColumn[] = [
    { name: 'name', title: 'Group', format: 'text' },
    { name: 'keys', title: 'Session keys', format: 'integer' },
    { name: 'sessions', title: 'Sessions', format: 'integer' },
    { name: 'bad_minutes', title: 'Participant-minutes in bad sessions', format: 'integer' },
    ...kindColumns,
  ]
  const rows = shown.map(({ name, weeks: own }) => ({
    name: name ?? NO_GROUP,
    keys: own[0]?.keys ?? 0,
    sessions: own.reduce((sum, week) => sum + week.sessions, 0),
    bad_minutes: own.reduce((sum, week) => sum + week.bad_minutes, 0),
    ...kindShares((kind) => badIn(own, kind)),
  }))
  const known = facts.month !== undefined
  return [
    section(
      title,
      ABOUT,
      ...(known ? [chartOf(shown)] : []),
      tableOf({ title, columns, empty: nothingRead(source.month) }, known ? rows : []),
      ...(known ? [weekTable(facts, shown)] : []),
    ),
  ]
}

type GroupWeek = Awaited<ReturnType<typeof readGroups>>[number]
interface Group {
  name: string | null
  weeks: readonly GroupWeek[]
}

/** Groups the sessions of all months; sessions in no configured group form one group. */
export async function keyGrouping(
  source: SessionSource,
  ofMonth: readonly GroupWeek[],
): Promise<Grouping> {
  const earlier = ofMonth.length === 0 ? [] : await readEarlier(source)
  const weeks = [...ofMonth, ...earlier]
  const groups = Map.groupBy(weeks, ({ name }) => name)
  const levels = [...groups].map(([name, own]) => ({
    level: name ?? NO_GROUP,
    where: name === null ? 'of no key group' : `of the key group ${name}`,
    todo: 'ask its hosts about their network',
    weeks: new Map(own.map((week) => [week.week, ratedIn(week)])),
  }))
  return { by: 'Key group', sheet: 'Key groups', levels }
}

async function readEarlier(source: SessionSource): Promise<GroupWeek[]> {
  return await readGroups(source, await keepEarlierKeyWeeks(source))
}

function ratedIn(week: GroupWeek): Counts {
  const parts = KINDS.map(({ kind }) => {
    const [rated, bad] = [week[`${kind}_rated`], week[`${kind}_bad`]]
    return { [`${kind}_bad`]: bad, [`${kind}_good`]: rated - bad }
  })
  return Object.assign({}, ...parts) as Counts
}

/** Counts by group and week. Each pattern is matched once for each key, however many sessions the key has. */
export async function readGroups({ db, settings }: SessionSource, keyWeeks: KeyWeeks) {
  if (settings.keyGroups.length === 0) return []
  const matches = settings.keyGroups.map(
    ({ name, pattern }) => sql`when ${sql.ref('w.session_key')} ~ ${pattern} then ${name}::text`,
  )
  const keys = db
    .selectFrom(keyWeeks.as('w'))
    .select('w.session_key')
    .distinct()
    .select(
      sql<string | null>`case when ${sql.ref('w.session_key')} = ${NO_KEY} then null
        ${sql.join(matches, sql` `)} end`.as('name'),
    )
  const counted = db
    .selectFrom(keys.as('k'))
    .selectAll('k')
    .select(sql<number>`(count(*) over (partition by ${sql.ref('k.name')}))::int`.as('keys'))
  const sum = <Name extends Sum>(name: Name) =>
    sql<number>`sum(${sql.ref(`w.${name}`)})::float8`.as(name)
  return db
    .selectFrom(counted.as('c'))
    .innerJoin(keyWeeks.as('w'), 'w.session_key', 'c.session_key')
    .select(['c.name', 'c.keys'])
    .select(({ eb }) => eb.cast<string>('w.week', 'text').as('week'))
    .select([sum('sessions'), sum('bad_minutes')])
    .select(
      KINDS.flatMap(({ kind }) => [sum(`${kind}_rated` as const), sum(`${kind}_bad` as const)]),
    )
    .groupBy(['c.name', 'c.keys', 'w.week'])
    .orderBy('c.name')
    .orderBy('w.week')
    .execute()
}

type Sum =
  | 'sessions'
  | 'bad_minutes'
  | `${QualityKind['kind']}_rated`
  | `${QualityKind['kind']}_bad`

function badIn(weeks: readonly GroupWeek[], kind: QualityKind['kind']) {
  return sumOf(weeks.map((week) => ({ of: week[`${kind}_rated`], hits: week[`${kind}_bad`] })))
}

function chartOf(groups: readonly Group[]): ChartBlock {
  const named = groups.filter(({ name }) => name !== null)
  return chart('Share rated bad, by group of keys', {
    type: 'bar',
    valueFormat: 'percent',
    categories: named.map(({ name }) => String(name)),
    series: badSeries(named, ({ weeks }, kind) => badIn(weeks, kind)),
  })
}

function weekTable(facts: QualityFacts, groups: readonly Group[]) {
  return shareMap(
    {
      title: 'Share of bad audio by group and week',
      of: ['name', 'Group'],
      lines: groups.map(({ name, weeks }) => [name ?? NO_GROUP, weeks]),
      columns: [...new Set([...facts.days.keys()].map(mondayOf))].sort(),
    },
    (weeks, monday) => {
      const own = weeks.filter(({ week }) => mondayOf(week) === monday)
      return badIn(own, 'audio')
    },
  )
}

const NO_GROUP = '(in no group)'
const ABOUT =
  'Session keys that belong together by the patterns of reports.settings.session-quality.keyGroups; a key ' +
  `counts in the first that it matches. A week is named by its Monday. ${TOO_FEW_TEXT}`
