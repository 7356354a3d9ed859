import { sql } from 'kysely'
import type { Transaction, Warehouse } from '../../warehouse/connect.ts'
import { wall } from '../../warehouse/schema/expressions.ts'

/** When the dead man's switch was last pinged, in epoch milliseconds. */
export async function lastPing(db: Transaction): Promise<number | undefined> {
  const row = await db
    .selectFrom('callsheet.pings')
    .select('sent_at')
    .where('sent_at', 'is not', null)
    .orderBy('day', 'desc')
    .limit(1)
    .executeTakeFirst()
  const sentAt = row?.sent_at ?? undefined
  return sentAt === undefined ? undefined : Date.parse(sentAt)
}

export interface PingClaim {
  /** `yyyy-mm-dd` in UTC. */
  day: string
  claim: string
}

/** Takes the ping of a day, unless it was sent or another process is sending it. */
export async function claimPing(warehouse: Warehouse, { day, claim }: PingClaim): Promise<boolean> {
  const claimed = { claim, claimed_until: runsOut }
  const taken = await warehouse.db
    .insertInto('callsheet.pings')
    .values({ day, ...claimed })
    .onConflict((conflict) =>
      conflict
        .column('day')
        .doUpdateSet(claimed)
        .where('callsheet.pings.sent_at', 'is', null)
        .where((eb) =>
          eb.or([
            eb('callsheet.pings.claimed_until', 'is', null),
            eb('callsheet.pings.claimed_until', '<=', wall),
          ]),
        ),
    )
    .returning('day')
    .executeTakeFirst()
  return taken !== undefined
}

/** Enters how a claimed ping ended: when it was sent, or by which error it was not. */
export async function recordPing(
  warehouse: Warehouse,
  { day, claim }: PingClaim,
  ended: { sentMs: number } | { code: string },
): Promise<void> {
  const sent = 'sentMs' in ended
  await warehouse.db
    .updateTable('callsheet.pings')
    .set((eb) => ({
      claim: null,
      claimed_until: null,
      sent_at: sent ? new Date(ended.sentMs).toISOString() : null,
      last_error: sent ? null : ended.code,
      attempts: eb('attempts', '+', 1),
    }))
    .where('day', '=', day)
    .where('claim', '=', claim)
    .execute()
}

const runsOut = sql<string>`callsheet.wall() + interval '10 minutes'`
