import { sql } from 'kysely'
import type { Stream } from '../../core/declare/stream.ts'
import type { Span } from '../../core/time/spans.ts'
import { widestSpan } from '../../core/time/widest-span.ts'
import type { Warehouse } from '../connection/connect.ts'
import { current } from '../connection/table-sql.ts'

type FanOut = Extract<Stream['sync'], { kind: 'fan-out' }>

export interface ParentRow {
  key: string[]
  /**
   * A digest of the parent's version fields, as these may be personal, or of the instants that the request is
   * told; empty where there are none.
   */
  version: string
  /** Whether any row of the fan-out stream is held for it. */
  held: boolean
  /** It is in a list outside the windows, as the trash. */
  besides?: boolean
  /** Between which instants its records lie; undefined where the parent tells neither, or is not asked. */
  span?: Span | undefined
  /** When it will be gone, in epoch milliseconds; undefined for what stays. */
  expiresAtMs?: number | undefined
}

/** When these rows of a stream were, in epoch milliseconds, by the column that places them in a window. */
export async function parentInstants(
  warehouse: Warehouse,
  { account, stream, column }: { account: string; stream: Stream; column: string },
  keys: readonly string[],
): Promise<number[]> {
  const at = sql.id('p', column)
  const { rows } = await sql<{ at: string }>`select ${at} as at from ${current(stream)} p
    where p.account = ${account} and ${sql.id('p', stream.key[0] as string)} = any(${keys}::text[])
      and ${at} is not null`.execute(warehouse.db)
  return rows.map((row) => Date.parse(row.at))
}

interface Row extends Omit<ParentRow, 'span' | 'expiresAtMs'> {
  from: string | null
  to: string | null
  expires: string | null
}

/**
 * The parents of a fan-out stream that may still be asked for, in the order that it declares, earliest first.
 */
export async function parentRows(
  warehouse: Warehouse,
  { account, stream, sync }: { account: string; stream: Stream; sync: FanOut },
): Promise<ParentRow[]> {
  const { parent, order, again, within } = sync
  const expiresAt = parent.deletions.by === 'detail' ? parent.deletions.expiresAt : undefined
  const alive =
    expiresAt === undefined
      ? sql`true`
      : sql`coalesce(${sql.id('p', expiresAt)} > callsheet.clock(), true)`
  const named = again?.versions ?? (within === undefined ? [] : [within.from, within.to])
  const versions = named.map((name) => sql`${sql.id('p', name)}`)
  const fields = sql`convert_to(jsonb_build_array(${sql.join(versions)})::text, 'UTF8')`
  const version = versions.length === 0 ? sql`''` : sql`left(encode(sha256(${fields}), 'hex'), 32)`
  // A child's first key part is its parent's.
  const [own, theirs] = [sql.id('p', parent.key[0] as string), sql.id('c', stream.key[0] as string)]
  const held = sql`${own} in (select ${theirs} from ${current(stream)} c
    where c.account = ${account} and c._deleted_at is null)`
  const instants =
    within === undefined
      ? sql`null as from, null as to`
      : sql`${sql.id('p', within.from)} as from, ${sql.id('p', within.to)} as to`
  const column = parent.sync.kind === 'windows' ? parent.sync.besidesColumn : undefined
  const besides = column === undefined ? sql`false` : sql`${sql.id('p', column)} is true`
  const expires = expiresAt === undefined ? sql`null` : sql.id('p', expiresAt)
  const { rows } = await sql<Row>`
    select array[${sql.join(parent.key.map((name) => sql`${sql.id('p', name)}::text`))}] as key,
      ${version} as version, ${again === undefined ? sql`true` : held} as held,
      ${besides} as besides, ${instants}, ${expires} as expires
    from ${current(parent)} p
    where p.account = ${account} and p._deleted_at is null and ${alive}
    order by ${sql.id('p', order)} nulls last, 1`.execute(warehouse.db)
  return rows.map(({ from, to, expires: at, ...row }) => ({
    ...row,
    span: widestSpan(from, to),
    ...(at === null ? {} : { expiresAtMs: Date.parse(at) }),
  }))
}
