import { type RawBuilder, sql } from 'kysely'
import type { Transaction } from '../connection/connect.ts'
import { cursorRows } from '../connection/cursor.ts'
import type { FilePlace } from './evidence-files.ts'
import { covers, holdsNow } from './holds.ts'
import { listed } from './pruned-files.ts'
import { appliedLabel, hasNamelessLabel } from './session-facts.ts'

/** What may be removed and when; the first rule that fits a file is the one that counts. */
export interface RetentionRule {
  keepDays: number
  /** Every condition that is given must fit. */
  whiteboards?: readonly string[] | undefined
  labels?: readonly string[] | undefined
}

export interface RetentionScope {
  account: string
  rules: readonly RetentionRule[]
}

/** A stored file whose rule lets it go, and what becomes of it. */
export interface DueFile {
  kind: 'activity' | 'recording'
  parent: string
  item: string
  sha256: string
  size: number
  /** When the activity was, or the recording; when the file was stored where that is not known. */
  at: string
  /** The place of the rule in the configuration, from 0. */
  rule: number
  whiteboard: string | null
  /** The hold that stops it. */
  hold: string | null
  /** `shared`: another file has the same content and stays. */
  verdict: 'goes' | 'held' | 'shared'
}

/** A stored content all of whose files may go. */
export interface DueContent {
  sha256: string
  size: number
  files: number
  rule: number
}

/** All stored files whose rule lets them go, content by content. One state of the data, read as a stream. */
export function dueFiles(tx: Transaction, scope: RetentionScope): AsyncGenerator<DueFile> {
  const query = sql<DueFile>`
    ${judged(
      scope,
      sql`select distinct sha256 from callsheet.files
      where account = ${scope.account} and state = 'stored'`,
    )}
    select kind, parent, item, encode(sha256, 'hex') as sha256, size, at, rule,
      whiteboard_id as whiteboard, hold,
      case when hold is not null then 'held' when goes then 'goes' else 'shared' end as verdict
    from judged where due order by judged.sha256, kind, parent, item`
  return cursorRows(tx, 'due files', query)
}

/**
 * Of the next stored contents those that go. `last` is where the next call goes on; undefined after the last
 * content.
 */
export async function dueContents(
  db: Transaction,
  scope: RetentionScope,
  { after, limit }: { after: string; limit: number },
): Promise<{ due: DueContent[]; last: string | undefined }> {
  const { account } = scope
  const { rows: next } = await sql<{ sha256: string }>`
    select encode(sha256, 'hex') as sha256 from (
      select distinct f.sha256 from callsheet.files f
      where f.account = ${account} and f.state = 'stored' and f.sha256 > decode(${after}, 'hex')
      order by f.sha256 limit ${limit}) next order by next.sha256`.execute(db)
  const { rows } = await sql<DueContent>`
    ${judged(scope, listed(next.map(({ sha256 }) => sha256)))}
    select encode(sha256, 'hex') as sha256, max(size)::bigint as size, count(*)::int as files,
      min(rule) as rule
    from judged where goes group by judged.sha256 order by judged.sha256`.execute(db)
  return { due: rows, last: next.at(-1)?.sha256 }
}

/**
 * Enters the files of these contents as removed, each with its rule as the reason, if they may still go;
 * under the holds' lock. Answers the contents that were entered, and the files.
 */
export async function markRemoved(
  tx: Transaction,
  scope: RetentionScope,
  contents: readonly string[],
): Promise<{ due: DueContent[]; files: FilePlace[] }> {
  const { rows } = await sql<DueContent & { places: FilePlace[] }>`
    ${judged(scope, listed(contents))},
    marked as (
      update callsheet.files f set state = 'removed', state_at = callsheet.clock(), bytes_gone_at = null,
        reason = format('archive.retention[%s]: keepDays %s', j.rule, j.keep_days)
      from judged j
      where j.goes and f.account = ${scope.account} and f.kind = j.kind and f.parent = j.parent
        and f.item = j.item and f.state = 'stored'
      returning f.sha256, f.size, j.rule, f.kind, f.parent, f.item)
    select encode(sha256, 'hex') as sha256, max(size)::bigint as size, count(*)::int as files,
      min(rule) as rule,
      json_agg(json_build_object('kind', kind, 'parent', parent, 'item', item)) as places
    from marked group by marked.sha256 order by marked.sha256`.execute(tx)
  const due = rows.map(({ places: _places, ...content }) => content)
  return { due, files: rows.flatMap(({ places }) => places) }
}

/** What rules would let go and holds or shared content keep. */
export async function keptBy(
  db: Transaction,
  scope: RetentionScope,
): Promise<{ hold: string | null; files: number; bytes: number }[]> {
  const all = sql`select distinct sha256 from callsheet.files
    where account = ${scope.account} and state = 'stored'`
  const { rows } = await sql<{ hold: string | null; files: number; bytes: number }>`
    ${judged(scope, all)}
    select hold, count(*)::int as files, sum(size)::float8 as bytes
    from judged where due and not goes group by hold order by hold nulls last`.execute(db)
  return rows
}

/**
 * The place of the rule for what is on a board that is not known: that which keeps longest of all that may be
 * meant, up to the first that is for every board. Undefined without such a one: it may be that none is meant.
 */
function boardlessRule(rules: readonly RetentionRule[]): number | undefined {
  const forAll = rules.findIndex(({ whiteboards, labels }) => (whiteboards ?? labels) === undefined)
  if (forAll < 0) return undefined
  const meant = rules.slice(0, forAll + 1).map(({ keepDays }) => keepDays)
  return meant.indexOf(Math.max(...meant))
}

/**
 * Begins a statement with `judged`: each stored file of the contents with its rule, whether it is due, the
 * oldest hold that covers it, and whether all files of its content go. The tables grow faster than their
 * statistics, so each content and file looks up its rows by key: limit and offset keep the planner to that.
 */
function judged({ account, rules }: RetentionScope, contents: RawBuilder<unknown>) {
  const boardless = boardlessRule(rules)
  const given = rules.map(({ keepDays, whiteboards, labels }, n) => ({
    n,
    keep_days: keepDays,
    whiteboards: whiteboards ?? null,
    labels: labels ?? null,
    boardless: n === boardless,
  }))
  // It may be any of those that the rules name, so what it is on stays until we know.
  const nameless = rules.some(({ labels }) => labels !== undefined)
    ? hasNamelessLabel(account, sql`s.whiteboard_id`)
    : sql`false`
  return sql`with contents as materialized (${contents}),
    rules as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
        as r(n int, keep_days int, whiteboards text[], labels text[], boardless boolean)),
    facts as (
      select f.kind, f.parent, f.item, f.sha256, f.size, s.whiteboard_id,
        f.kind = 'activity' and s.whiteboard_id is null as boardless,
        coalesce(a.create_time, s.start_time, r.start_time, f.state_at) as at,
        ${appliedLabel(account, sql`s.whiteboard_id`)} as label, ${nameless} as nameless,
        (select h.name from callsheet.holds h
          where h.account = f.account and ${holdsNow()} and ${covers()} order by h.id limit 1) as hold
      from contents c
        cross join lateral (select b.* from callsheet.files b where b.account = ${account}
          and b.sha256 = c.sha256 and b.state = 'stored' offset 0) f
        left join lateral (select b.whiteboard_id, b.start_time from svc.whiteboard_sessions b
          where f.kind = 'activity' and b.account = f.account and b.id = f.parent limit 1) s on true
        left join lateral (select b.create_time from svc.whiteboard_activities b
          where f.kind = 'activity' and b.account = f.account and b.session_id = f.parent
            and b.id = f.item limit 1) a on true
        left join lateral (select b.start_time from svc.recording_sessions b
          where f.kind = 'recording' and b.account = f.account and b.session_id = f.parent
          limit 1) r on true),
    ruled as (
      select facts.*, rule.n as rule, rule.keep_days,
        coalesce(at + make_interval(days => rule.keep_days) <= callsheet.clock(), false) as due
      from facts left join lateral (
        select n, keep_days from rules
        where not facts.nameless and case when facts.boardless then rules.boardless
          else (whiteboards is null or facts.whiteboard_id = any(whiteboards))
            and (labels is null or facts.label = any(labels)) end
        order by n limit 1) rule on true),
    judged as (
      select ruled.*, bool_and(due and hold is null) over (partition by sha256) as goes from ruled)`
}
