import { type Kysely, type RawBuilder, sql } from 'kysely'
import { KEY_SEPARATOR } from '../../core/records/record-key.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import { type FanOutScope, parentsOf } from '../../warehouse/load/parent-rows.ts'
import { firstKey, presentRows } from '../../warehouse/schema/table-sql.ts'
import type { Database } from '../../warehouse/schema/types.ts'
import { historiesOf } from './slice-histories.ts'

export interface ListScope extends FanOutScope {
  chainRunId: number
}

/** A list is not due if a run of the chain, or a later run, read it completely. */
export interface DueScope extends ListScope {
  nowMs: number
  /** Read all lists, not only the due ones. */
  full: boolean
}

/** Parents that are read together: their IDs as one text, since a million may be due. */
export interface DueBundle {
  ids: string
  count: number
  /** The parents expire within a week. */
  expiring: boolean
}

/**
 * The parents of a fan-out stream that are due: unread ones first, in the declared order, so that a quota too
 * small for all makes progress each day; then those read longest ago. Lists that failed, were refused or were
 * absent come later, or they would use up a small quota each night. Parents that expire within a week come
 * before all others, unless their lists failed.
 */
export async function dueBundles({ db }: Warehouse, scope: DueScope): Promise<DueBundle[]> {
  const soon = sql`${instant(scope)} + ${days(PRESSING_DAYS)}`
  const expiring = sql<boolean>`failures = 0 and coalesce(expires <= ${soon}, false)`
  return await withDue(db, scope)
    .with('placed', (from) => from.selectFrom('due').selectAll().select(expiring.as('expiring')))
    .with('ordered', (from) =>
      from.selectFrom('placed').select([
        'id',
        'expiring',
        sql<number>`row_number() over (partition by expiring order by failures,
          coalesce(complete_at, 'epoch'), aging, place nulls last, key)`.as('turn'),
      ]),
    )
    .selectFrom('ordered')
    .select(sql<string>`string_agg(id, ${KEY_SEPARATOR} order by turn)`.as('ids'))
    .select(({ fn }) => ['expiring', fn.countAll<number>().as('count')])
    .groupBy(['expiring', sql`(turn - 1) / ${sql.lit(BUNDLE)}`])
    .orderBy('expiring', 'desc')
    .orderBy(({ fn }) => fn.min('turn'))
    .execute()
}

export interface DueCounts {
  due: number
  /** How many of the due lists were read before. */
  known: number
  /** How many pages the `known` lists had together. */
  pages: number
}

export async function countDue({ db }: Warehouse, scope: DueScope): Promise<DueCounts> {
  const counts = await withDue(db, scope)
    .selectFrom('due')
    .select(({ cast, fn }) => [
      fn.countAll<number>().as('due'),
      fn.count<number>('complete_at').as('known'),
      cast<number | null>(
        fn.sum(sql`greatest(1, pages)`).filterWhere('complete_at', 'is not', null),
        'bigint',
      ).as('pages'),
    ])
    .executeTakeFirstOrThrow()
  return { ...counts, pages: counts.pages ?? 0 }
}

/** Counts of a fan-out stream's lists in the ledger. */
export interface ListCounts {
  /** All lists except those of parents in the trash, which may rightly be gone. */
  count: number
  /** How many of the lists had records when they were last read. */
  filled: number
  /** Whether any of the lists was ever read. */
  answered: boolean
}

export async function countParentLists({ db }: Warehouse, scope: ListScope): Promise<ListCounts> {
  const counts = await listsOf(db, scope)
    .where(isAsked(scope))
    .select(({ fn }) => {
      const lists = fn.countAll<number>().filterWhere(isKept)
      return [
        lists.as('count'),
        lists.filterWhere('h.received', '>', 0).as('filled'),
        fn.agg<boolean | null>('bool_or', ['h.listed']).as('answered'),
      ]
    })
    .executeTakeFirstOrThrow()
  return { ...counts, answered: counts.answered === true }
}

export interface MissingList {
  slice: string
  key: string[]
  absent: boolean
  taken: boolean
}

/** The lists that are absent or withdrawn according to the service's newest response. */
export async function missingLists({ db }: Warehouse, scope: ListScope): Promise<MissingList[]> {
  return await listsOf(db, scope)
    .where(isAsked(scope))
    .select(['h.slice', 'p.key', 'h.taken'])
    .select(({ eb }) => eb('h.absences', '>', 0).$castTo<boolean>().as('absent'))
    .where(isKept)
    .where(({ eb, or }) => or([eb('h.absences', '>', 0), eb('h.taken', '=', true)]))
    .$narrowType<{ slice: string; taken: boolean }>()
    .execute()
}

/** The list of each parent, with its history in the ledger. */
function listsOf(db: Db, scope: ListScope) {
  const { stream, chainRunId, account } = scope
  const histories = historiesOf({ account, stream: stream.name, chainRunId })
  return db
    .selectFrom(parentsOf(scope).as('p'))
    .leftJoin(histories.as('h'), (join) => join.on('h.slice', '=', sliceOf(scope)))
}

/** Adds the query `due` of the parents that are due: runs read their lists, and plans count them. */
function withDue(db: Db, scope: DueScope) {
  const { account, stream, sync, full } = scope
  const { again } = sync
  // A join, because in the select clause a set too large to hash would be scanned once for each parent.
  const children = db
    .selectFrom(presentRows({ account, stream }).as('c'))
    .select(firstKey(stream, 'c').as('parent'))
    .distinct()
    .$if(again === undefined, (none) => none.where(sql<boolean>`false`))
  const share = sql<number>`(select floor(2.0 * count(*) / ${again?.maxAgeDays ?? 1}) from judged)`
  return db
    .with('judged', () =>
      listsOf(db, scope)
        .leftJoin(children.as('c'), (join) => join.onRef('c.parent', '=', 'p.id'))
        .select([
          'p.id',
          'p.key',
          'p.place',
          'p.expires',
          'h.finished_at as complete_at',
          'h.pages',
        ])
        .select(sql<number>`coalesce(h.failures + h.refusals + h.absences, 0)`.as('failures'))
        .select(
          sql<'due' | 'aging' | null>`case
            when h.run_id >= ${scope.chainRunId} or not ${isAsked(scope)} then null
            when ${full} then 'due' when ${waits(scope)} then null
            when not ${isSettled(scope)} then 'due' when ${isAging(scope)} then 'aging' end`.as(
            'is',
          ),
        ),
    )
    .with('due', (from) => {
      const those = (is: 'due' | 'aging') =>
        from
          .selectFrom('judged')
          .select(['id', 'key', 'place', 'expires', 'complete_at', 'pages', 'failures'])
          .select(sql<boolean>`${is === 'aging'}`.as('aging'))
          .where('is', '=', is)
      const oldest = those('aging').orderBy('complete_at').orderBy(sql`place nulls last`)
      return those('due').unionAll(({ parens }) => parens(oldest.orderBy('key').limit(share)))
    })
}

/**
 * A list is settled if it was read and checked recently, at the parent's present version, no deletion was
 * held back, and its rows still exist (they do not if the parent was deleted and reappeared). A withdrawn
 * list is requested again each week: a permission may have been restored. Without `again`, a final list stays
 * settled while its version is unchanged and no deletion was held back.
 */
function isSettled(scope: DueScope): RawBuilder<boolean> {
  const { again } = scope.sync
  if (again === undefined)
    return sql`coalesce(not h.held_back and h.final and coalesce(h.version, p.version) = p.version, false)`
  const taken = Math.min(ABSENT_DAYS, again.maxAgeDays)
  const kept = sql`case when h.taken then ${days(taken)} else ${days(again.maxAgeDays)} end`
  // The version comes last, so that a million digests are computed only where they matter.
  return sql`(h.finished_at is not null and not h.held_back and not h.unchecked
    and (h.received = 0 or c.parent is not null) and ${age('finished_at', scope)} < ${kept}
    and coalesce(h.version = p.version, false))`
}

function isAging(scope: DueScope): RawBuilder<boolean> {
  const { again } = scope.sync
  return again === undefined
    ? sql`false`
    : sql`${age('finished_at', scope)} >= ${days(again.maxAgeDays / 2)}`
}

/**
 * An absent list whose parent exists is requested less and less often, down to once a week: one response may
 * be wrong, but a whole kind of list may always be absent. Lists of streams without `again` do not wait.
 */
function waits(scope: DueScope): RawBuilder<boolean> {
  const { again } = scope.sync
  if (again === undefined) return sql`false`
  const most = Math.min(again.maxAgeDays, ABSENT_DAYS)
  // The wait is half a day shorter, since nightly runs do not begin at the same second.
  const wait = sql`(least(h.absences - 1, ${most}) - 0.5) * interval '1 day'`
  return sql`(h.absent_at is not null and not h.held_back and ${age('absent_at', scope)} < ${wait}
    and coalesce(h.absent_version = p.version, false))`
}

function isAsked({ sync: { nothingOf } }: ListScope): RawBuilder<boolean> {
  return nothingOf === undefined ? sql`true` : sql`not starts_with(p.id, ${nothingOf})`
}

/** The name of a parent's list in the ledger. */
function sliceOf({ sync }: ListScope): RawBuilder<string> {
  return sql`${sync.request(['']).slice} || p.id`
}

function age(column: 'finished_at' | 'absent_at', scope: DueScope): RawBuilder<unknown> {
  return sql`(${instant(scope)} - h.${sql.id(column)})`
}

function instant({ nowMs }: DueScope): RawBuilder<unknown> {
  return sql`${new Date(nowMs).toISOString()}::timestamptz`
}

function days(count: number): RawBuilder<unknown> {
  return sql`${count}::float8 * interval '1 day'`
}

type Db = Kysely<Database>

const isKept = sql<boolean>`not p.besides`
const BUNDLE = 50
const PRESSING_DAYS = 7
const ABSENT_DAYS = 7
