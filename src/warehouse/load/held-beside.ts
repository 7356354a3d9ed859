import { sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import type { Warehouse } from '../connect.ts'
import { presentRows } from '../schema/table-sql.ts'

/** Returns the times of the last present row before an instant, and of the first row at or after it. */
export async function heldBeside(
  { db }: Pick<Warehouse, 'db'>,
  { column, ...of }: { account: string; stream: Stream; column: string },
  atMs: number,
): Promise<{ beforeMs: number | undefined; fromMs: number | undefined }> {
  const [at, instant] = [sql.id<string>('t', column), new Date(atMs).toISOString()]
  const rows = db.selectFrom(presentRows(of).as('t'))
  const [before, from] = [
    await rows
      .select(({ fn }) => fn.max<string | null>(at).as('ms'))
      .where(at, '<', instant)
      .executeTakeFirst(),
    await rows
      .select(({ fn }) => fn.min<string | null>(at).as('ms'))
      .where(at, '>=', instant)
      .executeTakeFirst(),
  ]
  const msOf = (text: string | null | undefined) => (text ? Date.parse(text) : undefined)
  return { beforeMs: msOf(before?.ms), fromMs: msOf(from?.ms) }
}
