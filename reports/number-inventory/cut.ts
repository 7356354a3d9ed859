import { type RawBuilder, sql } from 'kysely'
import type { CutSource, ReportCut } from '../../src/core/define/owner.ts'
import type { ReportContext } from '../../src/core/define/report.ts'
import { phoneNumberAssignments, phoneNumbers } from '../../src/resources/phone-numbers.ts'
import { smsConsentNumbers, smsConsents } from '../../src/resources/sms-consents.ts'
import { userDetails } from '../../src/resources/user-details.ts'
import { users } from '../../src/resources/users.ts'
import { rowCount } from '../shared/expressions.ts'
import type { InventoryStreams } from './source.ts'

/**
 * A number belongs to the owner of its site or of the department of a user who has it, whichever owner comes
 * first in the configuration. SIP groups and trunks, orders and partner numbers belong to nobody.
 */
export const inventoryCut: ReportCut<InventoryStreams, ReportContext<unknown, InventoryStreams>> = {
  by: ['sites', 'departments'],
  async owned(source) {
    const { rows, versions, keep, isOwned } = source
    const all = await keep('numbers by owner', numbersByOwner(source))
    const own = sql`(select o.id from ${all} o where ${isOwned(sql`o.place`)})`
    const held = sql<boolean>`r.phone_number_id in ${own}`
    // Everyone who has one of the numbers or had one before.
    const holder = sql<boolean>`r.id in (select a.assigned_to_id from ${versions(phoneNumberAssignments)} a
      where a.assigned_to_type = 'User' and a.phone_number_id in ${own})`
    const consent = sql<boolean>`r.consent_id in (select s.consent_id from ${rows(smsConsentNumbers)} s
      where s.phone_number_id in ${own})`
    return new Map<InventoryStreams, RawBuilder<boolean>>([
      [phoneNumbers, sql`r.id in ${own}`],
      [phoneNumberAssignments, held],
      [users, holder],
      [userDetails, holder],
      [smsConsents, consent],
      [smsConsentNumbers, held],
    ])
  },
  async count({ db, rows }) {
    const { count } = await db
      .selectFrom(rows(phoneNumbers).as('n'))
      .select(rowCount.as('count'))
      .executeTakeFirstOrThrow()
    return [{ count, one: 'number', many: 'numbers' }]
  },
}

/** A number that left the account belongs to its last owner. Raw SQL, because it combines several states. */
function numbersByOwner({ rows, goneRows, place }: CutSource<InventoryStreams>) {
  const dept = sql`coalesce(nullif(u.dept, ''), nullif(d.dept, ''))`
  return sql<{ id: string; place: number | null }>`(
    select n.id, least(min(${place('sites', sql`n.site_name`)}),
      min(${place('departments', dept)})) as place
    from (
      select id, site_name, null::bigint as gone_by from ${rows(phoneNumbers)} n
      union all select id, site_name, gone_by from ${goneRows(phoneNumbers)} n) n
      left join (
        select phone_number_id, assigned_to_id, assigned_to_type, null::bigint as gone_by
        from ${rows(phoneNumberAssignments)} a
        union all select phone_number_id, assigned_to_id, assigned_to_type, gone_by
        from ${goneRows(phoneNumberAssignments)} a) a
        on a.phone_number_id = n.id and a.assigned_to_type = 'User'
          and a.gone_by is not distinct from n.gone_by
      left join (
        select id, dept from ${rows(users)} u
        union all select id, dept from ${goneRows(users)} u) u on u.id = a.assigned_to_id
      left join ${rows(userDetails)} d on d.id = a.assigned_to_id
    group by n.id)`
}
