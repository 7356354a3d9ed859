import { sql } from 'kysely'
import type { Section, TableColumn } from '../../src/core/define/report.ts'
import { storageLocationDetails, storageLocations } from '../../src/resources/storage-locations.ts'
import { neverRead, section } from '../shared/blocks.ts'
import { localInstant } from '../shared/local-time.ts'
import { queryRows, type Row, tableOf } from '../shared/query.ts'
import type { RecordingSource } from './source.ts'

/**
 * Reads the customer's own storage locations, the current one first, and whether the service can reach them.
 */
export function readLocations({ db, rows, timeZone }: RecordingSource): Promise<Row[]> {
  return queryRows(
    db,
    sql`
    select l.name, l.bucket, l.region, l.provider, coalesce(l.selected, false) as selected,
      coalesce(nullif(d.verify_status, ''), 'unknown') as verify_status,
      ${localInstant(sql`d._changed_at`, timeZone)} as since, l.id
    from ${rows(storageLocations)} l left join ${rows(storageLocationDetails)} d on d.id = l.id
    order by selected desc, d.verify_status = 'failure' desc nulls last, l.name collate "C", l.id`,
  )
}

export function locationSection({ runId }: RecordingSource, locations: readonly Row[]): Section {
  const title = 'Storage locations'
  const read = runId(storageLocations) !== undefined
  const text = read
    ? 'Your own storage locations for recordings, the one in use first. “Last check” shows ' +
      'whether the service could reach the location; “Since” is when Callsheet first received ' +
      'that result.'
    : neverRead('Storage locations were', { job: 'recording-details' })
  const empty = read ? 'There are no storage locations.' : 'Not read.'
  return section(title, text, tableOf({ title, columns: COLUMNS, empty }, locations))
}

const COLUMNS: readonly TableColumn[] = [
  { name: 'name', title: 'Name', format: 'text' },
  { name: 'selected', title: 'In use', format: 'boolean' },
  { name: 'verify_status', title: 'Last check', format: 'text', coded: 'service' },
  { name: 'since', title: 'Since', format: 'instant' },
  { name: 'bucket', title: 'Bucket', format: 'text' },
  { name: 'region', title: 'Region', format: 'text' },
  { name: 'provider', title: 'Provider', format: 'text', coded: 'service' },
  { name: 'id', title: 'ID', format: 'text' },
]
