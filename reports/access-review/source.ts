import { sql } from 'kysely'
import type { ReportContext } from '../../src/core/define/report.ts'
import type { Relation } from '../../src/core/define/stream-row.ts'
import type { phoneNumberAssignments, phoneNumbers } from '../../src/resources/phone-numbers.ts'
import type { users } from '../../src/resources/users.ts'
import type {
  whiteboardActivities,
  whiteboardParticipants,
  whiteboardSessions,
} from '../../src/resources/whiteboard-archives.ts'
import { whiteboardCollaborators } from '../../src/resources/whiteboard-collaborators.ts'
import { whiteboards } from '../../src/resources/whiteboards.ts'
import { wordFor } from '../shared/expressions.ts'
import {
  heldNumbers,
  type InactivePerson,
  inactivePeople,
  numbersByUser,
} from '../shared/inactive-people.ts'
import { localInstant } from '../shared/local-time.ts'
import { LINK_ROLES, SCOPES } from '../whiteboard-audit/board-rows.ts'
import { MOST_COLLABORATORS } from '../whiteboard-audit/boards.ts'
import type { AccessSettings } from './settings.ts'

export type AccessStreams =
  | typeof users
  | typeof phoneNumbers
  | typeof phoneNumberAssignments
  | typeof whiteboards
  | typeof whiteboardCollaborators
  | typeof whiteboardSessions
  | typeof whiteboardParticipants
  | typeof whiteboardActivities

type AccessContext = ReportContext<unknown, AccessStreams, AccessSettings>

/** The report's data: the boards with their owners, and the people to review with what they hold. */
export interface AccessSource extends AccessContext {
  boards: Relation<BoardRow>
  people: Relation<HolderRow>
  held: ReturnType<typeof heldNumbers>
}

/** A board that is not in the trash. */
interface BoardRow {
  whiteboard_id: string
  board: string | null
  scope: string
  link_role: string | null
  /** False if the scope is missing, or is not in the documents. */
  scope_known: boolean
  open: boolean
  owner_id: string | null
  owner: string | null
  created_by: string | null
  modified: string | null
  outsiders: number
  outsider_names: string | null
  remark: string | null
}

interface HolderRow extends InactivePerson {
  numbers: number
  number_list: string | null
  licenses: number
  boards: number
  open_boards: number
  monthly_cost: number | null
  license_cost: number | null
  unpriced_numbers: number
  unpriced_licenses: number
}

export async function accessSource(context: AccessContext): Promise<AccessSource> {
  const { keep, settings } = context
  const boards = await keep('boards', boardsOf(context))
  const held = heldNumbers(context, settings.prices)
  return {
    ...context,
    boards,
    held,
    people: await keep('people', holdersOf(context, { boards, held })),
  }
}

/** The owner of a board among its collaborators. */
export const boardOwner = sql<string | null>`max(user_id) filter (where role = 0)`

/** Raw SQL, because it builds lists. The service names a board's owner only among its collaborators. */
function boardsOf({ rows, timeZone }: AccessContext) {
  const shared = sql`(
    select whiteboard_id, count(*)::int as entries,
      ${boardOwner} as owner_id,
      max(coalesce(nullif(collaborator_name, ''), email)) filter (where role = 0) as owner,
      count(*) filter (where collaborator_type = 1)::int as outsiders,
      string_agg(nullif(collaborator_name, ''), ', ' order by collaborator_name collate "C")
        filter (where collaborator_type = 1) as outsider_names
    from ${rows(whiteboardCollaborators)} c group by whiteboard_id)`
  return sql<BoardRow>`(
    select b.whiteboard_id, b.whiteboard_name as board,
      coalesce(${wordFor(sql`share_scope`, SCOPES)}, '(not given)') as scope,
      ${wordFor(sql`share_role`, LINK_ROLES)} as link_role,
      share_scope is not null and share_scope = any(${Object.keys(SCOPES).map(Number)}::int[]) as scope_known,
      coalesce(share_scope = 2, false) as open, s.owner_id, coalesce(s.owner, '(not given)') as owner,
      b.created_by_display_name as created_by, ${localInstant(sql`b.modified_date`, timeZone)} as modified,
      coalesce(s.outsiders, 0) as outsiders,
      case when length(s.outsider_names) > 200 then left(s.outsider_names, 199) || '…'
        else s.outsider_names end as outsider_names,
      case when s.entries >= ${MOST_COLLABORATORS} then 'more collaborators may exist' end as remark
    from ${rows(whiteboards)} b left join ${shared} s using (whiteboard_id)
    where b.trashed is not true)`
}

/** A user type whose price is 0 counts as no license. Deleted and unlisted people have no type. */
function holdersOf(
  context: AccessContext,
  { boards, held }: { boards: Relation<BoardRow>; held: ReturnType<typeof heldNumbers> },
) {
  const { settings } = context
  const holders = sql`select user_id as id, name from ${held} h
    union all select owner_id, owner from ${boards} b where owner_id is not null`
  const people = inactivePeople(context, { days: settings.inactiveDays, holders })
  const licensePrice = sql`(${JSON.stringify(settings.licensePrices)}::jsonb ->> p.type::text)::float8`
  return sql<HolderRow>`(
    select *, case when cost is null and license_cost is null then null
        else coalesce(cost, 0) + coalesce(license_cost, 0) end as monthly_cost,
      case when license_cost is null then licenses else 0 end as unpriced_licenses
    from (
      select p.*, coalesce(n.numbers, 0) as numbers, n.number_list, n.cost,
        coalesce(n.unpriced, 0) as unpriced_numbers, coalesce(b.boards, 0) as boards,
        coalesce(b.open_boards, 0) as open_boards, nullif(${licensePrice}, 0) as license_cost,
        (p.type is not null and ${licensePrice} is distinct from 0)::int as licenses
      from ${people} p
        left join ${numbersByUser(held)} n on n.user_id = p.id
        left join (select owner_id, count(*)::int as boards, count(*) filter (where open)::int as open_boards
          from ${boards} b group by owner_id) b on b.owner_id = p.id) h
    where numbers + licenses + boards > 0)`
}
