import type { Section } from '../../src/core/define/report.ts'
import { smsConsentNumbers, smsConsents } from '../../src/resources/sms-consents.ts'
import { neverRead, note } from '../shared/blocks.ts'
import { CursorRows } from '../shared/cursor-rows.ts'
import { namesOf, tableColumns } from '../shared/query.ts'
import type { NumberSource } from './source.ts'

const COLUMNS = tableColumns([
  { name: 'consent_name', title: 'Policy', format: 'text' },
  { name: 'phone_number', title: 'Number', format: 'text' },
  { name: 'consent_id', title: 'Policy ID', format: 'text' },
  { name: 'phone_number_id', title: 'Number ID', format: 'text' },
])

/**
 * Lists every number under a consent policy. An import of the workbook reads each line under the header. So
 * an empty list has no placeholder line, and a sheet for data that was never read has no header.
 */
export async function smsConsentsSection({ db, rows, runId }: NumberSource): Promise<Section> {
  if (runId(smsConsents) === undefined || runId(smsConsentNumbers) === undefined) {
    const text = neverRead('The SMS consent policies were', { job: 'number-settings' })
    return { title: `${TITLE}, not read`, detail: true, blocks: [note('warning', text)] }
  }
  const lines = new CursorRows(db, {
    name: TITLE,
    columns: namesOf(COLUMNS),
    query: db
      .selectFrom(rows(smsConsentNumbers).as('n'))
      .leftJoin(rows(smsConsents).as('p'), 'p.consent_id', 'n.consent_id')
      .select(['p.consent_name', 'n.phone_number', 'n.consent_id', 'n.phone_number_id'])
      .orderBy('p.consent_name')
      .orderBy('n.consent_id')
      .orderBy('n.phone_number')
      .orderBy('n.phone_number_id'),
  })
  const policies = await db
    .selectFrom(rows(smsConsents).as('p'))
    .select('p.consent_name as name')
    .distinct()
    .orderBy('p.consent_name')
    .execute()
  const suggested = policies.flatMap(({ name }) => (name === null || name === '' ? [] : [name]))
  const columns = COLUMNS.map((column) =>
    column.name === 'consent_name' ? { ...column, suggested } : column,
  )
  const none = (await lines.first(1)).length === 0
  const notes = [
    ...(none ? [note('plain', 'No number is under an SMS consent policy.')] : []),
    note('warning', EDITING),
  ]
  const table = { kind: 'table', title: TITLE, columns, rows: lines, empty: '' } as const
  return { title: TITLE, detail: true, blocks: [...notes, table] }
}

const TITLE = 'SMS consents'
const EDITING =
  'To change a policy, delete a row to remove its number, or add a row with a policy and a ' +
  'number. Then save the workbook and run "callsheet apply" with it. This sheet is not ' +
  'protected.'
