import { sql } from 'kysely'
import type { AuditSettings } from '../../core/records/audit-settings.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { now } from '../../warehouse/schema/expressions.ts'

/** Records audit settings as valid from now on. Returns the row's number; undefined if nothing changed. */
export async function insertAuditSettings(
  tx: Transaction,
  account: string,
  { settings, notedBy }: { settings: AuditSettings; notedBy: string },
): Promise<number | undefined> {
  const given = sql<string>`${JSON.stringify(settings)}::jsonb`
  const newest = tx
    .selectFrom('callsheet.audit_settings')
    .select('settings')
    .where('account', '=', account)
    .orderBy('id', 'desc')
    .limit(1)
  const inserted = await tx
    .insertInto('callsheet.audit_settings')
    .columns(['account', 'at', 'noted_by', 'settings'])
    .expression(
      tx
        .selectNoFrom(({ val }) => [
          val(account).as('account'),
          now.as('at'),
          val(notedBy).as('noted_by'),
          given.as('settings'),
        ])
        .where(sql<boolean>`${given} is distinct from (${newest})`),
    )
    .returning('id')
    .executeTakeFirst()
  return inserted?.id
}
