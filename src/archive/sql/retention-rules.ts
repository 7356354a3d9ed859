import { type Expression, expressionBuilder, type NotNull, type QueryCreator, sql } from 'kysely'
import type { Transaction } from '../../warehouse/connect.ts'
import type { Database } from '../../warehouse/schema/types.ts'
import type { FilesAsF } from './file-rows-sql.ts'
import { oldestHold } from './holds.ts'
import { appliedLabel, hasNamelessLabel } from './session-facts.ts'

/** Says after how many days files may be removed. A file follows the first rule whose conditions all fit. */
export interface RetentionRule {
  keepDays: number
  whiteboards?: readonly string[] | undefined
  labels?: readonly string[] | undefined
}

export interface RetentionScope {
  account: string
  rules: readonly RetentionRule[]
}

/** The digests of all stored contents. */
export function storedContents(db: Transaction, { account }: RetentionScope) {
  return db
    .selectFrom('callsheet.files')
    .select(({ ref }) => ref('sha256').$notNull().as('sha256'))
    .distinct()
    .where('account', '=', account)
    .where('state', '=', 'stored')
}

/**
 * Begins a statement with the table `judged`: each stored file of the contents with its rule, whether it is
 * due, the oldest hold that covers it, and whether all files with its content can go.
 */
export function judged(
  db: Transaction,
  { account, rules }: RetentionScope,
  contents: Expression<{ sha256: Buffer }>,
) {
  // A label without a known name may be any that the rules name, so its files stay.
  const namesLabels = rules.some(({ labels }) => labels !== undefined)
  return db
    .with(
      (cte) => cte('rules').materialized(),
      () => db.selectFrom(ruleRows(rules)).selectAll(),
    )
    .with(
      (cte) => cte('contents').materialized(),
      () => contents,
    )
    .with('facts', (next) => facts(next, { account, namesLabels }))
    .with('ruled', (next) =>
      next
        .selectFrom('facts')
        .leftJoinLateral(
          ({ selectFrom }) =>
            selectFrom('rules')
              .select(['n', 'keep_days'])
              .where(FITS)
              .orderBy('n')
              .limit(1)
              .as('rule'),
          (join) => join.onTrue(),
        )
        .selectAll('facts')
        .select(['rule.n as rule', 'rule.keep_days', IS_DUE.as('due')]),
    )
    .with('judged', (next) =>
      next
        .selectFrom('ruled')
        .selectAll('ruled')
        .select(sql<boolean>`bool_and(due and hold is null) over (partition by sha256)`.as('goes')),
    )
}

const FITS = sql<boolean>`not facts.nameless and case when facts.boardless then rules.boardless
  else (whiteboards is null or facts.whiteboard_id = any(whiteboards))
    and (labels is null or facts.label = any(labels)) end`
const IS_DUE = sql<boolean>`coalesce(
  at + make_interval(days => rule.keep_days) <= callsheet.clock(), false)`

/**
 * The facts that rules need. The planner's statistics are often out of date, so each content and file looks
 * up its rows by key: limit and offset make the planner do so.
 */
function facts(
  db: QueryCreator<Database & { contents: { sha256: Buffer } }>,
  { account, namesLabels }: { account: string; namesLabels: boolean },
) {
  return db
    .selectFrom('contents as c')
    .crossJoinLateral(({ selectFrom }) =>
      selectFrom('callsheet.files as b')
        .select(['b.account', 'b.kind', 'b.parent', 'b.item', 'b.sha256', 'b.size', 'b.state_at'])
        .where('b.account', '=', account)
        .whereRef('b.sha256', '=', 'c.sha256')
        .where('b.state', '=', 'stored')
        .offset(0)
        .$narrowType<{ sha256: NotNull; size: NotNull }>()
        .as('f'),
    )
    .leftJoinLateral(SESSION.as('s'), (join) => join.onTrue())
    .leftJoinLateral(ACTIVITY.as('a'), (join) => join.onTrue())
    .leftJoinLateral(RECORDING.as('r'), (join) => join.onTrue())
    .select(['f.kind', 'f.parent', 'f.item', 'f.sha256', 'f.size', 's.whiteboard_id'])
    .select(({ and, eb, fn, lit, ref }) => {
      const board = ref('s.whiteboard_id')
      const nameless = namesLabels ? hasNamelessLabel(account, board) : lit(false)
      return [
        and([eb('f.kind', '=', 'activity'), eb(board, 'is', null)]).as('boardless'),
        fn.coalesce('a.create_time', 's.start_time', 'r.start_time', 'f.state_at').as('at'),
        appliedLabel(account, board).as('label'),
        nameless.as('nameless'),
        oldestHold().as('hold'),
      ]
    })
}

const ofFile = expressionBuilder<FilesAsF, 'f'>()
const SESSION = ofFile
  .selectFrom('svc.whiteboard_sessions as b')
  .select(['b.whiteboard_id', 'b.start_time'])
  .where('f.kind', '=', 'activity')
  .whereRef('b.account', '=', 'f.account')
  .whereRef('b.id', '=', 'f.parent')
  .limit(1)
const ACTIVITY = ofFile
  .selectFrom('svc.whiteboard_activities as b')
  .select('b.create_time')
  .where('f.kind', '=', 'activity')
  .whereRef('b.account', '=', 'f.account')
  .whereRef('b.session_id', '=', 'f.parent')
  .whereRef('b.id', '=', 'f.item')
  .limit(1)
const RECORDING = ofFile
  .selectFrom('svc.recording_sessions as b')
  .select('b.start_time')
  .where('f.kind', '=', 'recording')
  .whereRef('b.account', '=', 'f.account')
  .whereRef('b.session_id', '=', 'f.parent')
  .limit(1)

interface Rule {
  n: number
  keep_days: number
  whiteboards: readonly string[] | null
  labels: readonly string[] | null
  /** Whether the rule is the one for files whose board is unknown. */
  boardless: boolean
}

function ruleRows(rules: readonly RetentionRule[]) {
  const boardless = boardlessRule(rules)
  const given: Rule[] = rules.map(({ keepDays, whiteboards, labels }, n) => ({
    n,
    keep_days: keepDays,
    whiteboards: whiteboards ?? null,
    labels: labels ?? null,
    boardless: n === boardless,
  }))
  return sql<Rule>`jsonb_to_recordset(${JSON.stringify(given)}::jsonb)`.as<'r'>(
    sql`r(n int, keep_days int, whiteboards text[], labels text[], boardless boolean)`,
  )
}

/**
 * The place of the rule for files whose board is unknown: of the rules up to the first that fits every board,
 * the one that keeps longest. Undefined if no rule fits every board: perhaps no rule applies to these files.
 */
function boardlessRule(rules: readonly RetentionRule[]): number | undefined {
  const forAll = rules.findIndex(({ whiteboards, labels }) => (whiteboards ?? labels) === undefined)
  if (forAll < 0) return undefined
  const meant = rules.slice(0, forAll + 1).map(({ keepDays }) => keepDays)
  return meant.indexOf(Math.max(...meant))
}
