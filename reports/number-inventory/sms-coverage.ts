import { sql } from 'kysely'
import type { Note, Section, TableColumn } from '../../src/core/define/report.ts'
import type { Relation } from '../../src/core/define/stream-row.ts'
import { counted } from '../../src/core/values/quantities.ts'
import { smsConsentDetails } from '../../src/resources/sms-consent-details.ts'
import { smsConsentNumbers, smsConsents } from '../../src/resources/sms-consents.ts'
import { figures, finding, neverRead, note, type ReportPart, section } from '../shared/blocks.ts'
import { orderedTable, queryRows, type Row, tableColumns, tableOf } from '../shared/query.ts'
import { percent } from '../shared/words.ts'
import {
  ID_COLUMN,
  NUMBER_COLUMNS,
  type NumberRow,
  type NumberSource,
  unreadSection,
} from './source.ts'

/** Shows which messaging numbers are under no consent policy, and which policies are nearly full. */
export async function smsCoverageSections(source: NumberSource): Promise<ReportPart[]> {
  const { runId } = source
  if (runId(smsConsents) === undefined || runId(smsConsentNumbers) === undefined)
    return [unreadSection(TITLE, { what: 'The SMS consent policies', job: 'number-settings' })]
  const messaging = await messagingNumbers(source)
  return [await overview(source, messaging), uncovered(source, messaging)]
}

async function messagingNumbers({
  rows,
  keep,
  numbers,
}: NumberSource): Promise<Relation<Messaging>> {
  const query = sql<Messaging>`(
    select n.*, coalesce(c.policies, 0) as policies, coalesce(c.active, false) as active
    from ${numbers} n left join (
      select phone_number_id, count(*)::int as policies, bool_or(coalesce(p.status, false)) as active
      from ${rows(smsConsentNumbers)} s left join ${rows(smsConsents)} p using (consent_id)
      group by phone_number_id) c on c.phone_number_id = n.id
    where 'Messaging' = any(n.capability))`
  return await keep('messaging', query)
}

async function overview(source: NumberSource, messaging: Relation<Messaging>): Promise<ReportPart> {
  const { db, owner } = source
  const [counts = {}] = await queryRows(
    db,
    sql`
    select count(*)::int as "Can send messages",
      count(*) filter (where active)::int as "Under an active policy",
      count(*) filter (where policies > 0 and not active)::int as "Under inactive policies only",
      count(*) filter (where policies = 0)::int as "Under no policy",
      count(*) filter (where policies = 0 and assigned)::int as ${sql.id(UNDER_NONE)}
    from ${messaging} m`,
  )
  // A policy's use counts the numbers of all owners, so the report of one owner has no policies.
  const policies = owner === undefined ? await queryRows(db, policiesOf(source)) : undefined
  const text =
    'Numbers with the capability Messaging, and whether an SMS consent policy covers them. A ' +
    `policy is nearly full at ${percent(NEARLY_FULL)} of its capacity. The service does not ` +
    'report whether a number sends messages or whether its country requires consent.'
  const bare = Number(counts[UNDER_NONE] ?? 0)
  const sheet = section(
    TITLE,
    text,
    ...capacityNote(policies ?? []),
    figures('Coverage', counts),
    ...(policies === undefined ? [] : [tableOf(POLICY_TABLE, policies)]),
  )
  const numbers = counted(bare, 'number')
  const without = `${numbers} in use can send messages without a consent policy: add a policy.`
  return { ...sheet, finding: bare === 0 ? undefined : finding(without) }
}

function uncovered({ db }: NumberSource, messaging: Relation<Messaging>): Section {
  const rows = db.selectFrom(messaging.as('n')).selectAll('n').where('n.active', '=', false)
  const order = ['policies', 'assigned desc', 'number', 'id'] as const
  const empty = 'Every number that can send messages is under an active policy.'
  const text =
    'Numbers that can send messages but have no active policy. Numbers without any policy come ' +
    'first.'
  const table = { title: NONE, columns: UNCOVERED, empty }
  return section(NONE, text, orderedTable(db, table, { rows, order }))
}

type Messaging = NumberRow & { policies: number; active: boolean }

/**
 * Returns each policy and its use. Only a policy's details contain its capacity, and another job reads them.
 * So the capacity may be unknown although the use is known.
 */
function policiesOf({ rows }: NumberSource) {
  return sql`
    select *, capacity - used as room, used_share >= ${NEARLY_FULL}::float8 as nearly_full
    from (
      select p.consent_id, p.consent_name, p.status as active, d.capacity,
        coalesce(p.used_number, n.listed, 0) as used, coalesce(n.listed, 0) as listed,
        coalesce(p.used_number, n.listed, 0)::float8 / nullif(d.capacity, 0) as used_share
      from ${rows(smsConsents)} p
        left join ${rows(smsConsentDetails)} d using (consent_id)
        left join (select consent_id, count(*)::int as listed from ${rows(smsConsentNumbers)} s
          group by consent_id) n using (consent_id)) consents
    order by used_share desc nulls last, used desc, consent_name, consent_id`
}

function capacityNote(policies: readonly Row[]): Note[] {
  const unknown = policies.filter(({ capacity }) => capacity === null).length
  if (unknown === 0) return []
  const what = `The capacity of ${String(unknown)} of ${String(policies.length)} policies was`
  return [note('warning', neverRead(what, { job: 'number-details' }))]
}

const TITLE = 'SMS coverage'
const UNDER_NONE = 'Under no policy, in use'
const NONE = 'SMS without policy'
const UNCOVERED = tableColumns([
  ...NUMBER_COLUMNS,
  { name: 'assigned_to', title: 'Assigned to', format: 'text' },
  { name: 'assigned', title: 'In use', format: 'boolean' },
  { name: 'policies', title: 'Inactive policies', format: 'integer' },
  ID_COLUMN,
])
const POLICIES: readonly TableColumn[] = [
  { name: 'consent_name', title: 'Policy', format: 'text' },
  { name: 'active', title: 'Active', format: 'boolean' },
  { name: 'nearly_full', title: 'Nearly full', format: 'boolean' },
  { name: 'used', title: 'Used', format: 'integer' },
  { name: 'capacity', title: 'Capacity', format: 'integer' },
  { name: 'room', title: 'Free', format: 'integer' },
  { name: 'used_share', title: 'Used share', format: 'percent' },
  { name: 'listed', title: 'Numbers listed', format: 'integer' },
  { name: 'consent_id', title: 'Policy ID', format: 'text' },
]
const POLICY_TABLE = { title: 'Policies', columns: POLICIES, empty: 'There are no policies.' }

/** A policy is nearly full if it uses at least this share of its capacity. */
const NEARLY_FULL = 0.9
