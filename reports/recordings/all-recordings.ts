import { sql } from 'kysely'
import type { Section } from '../../src/core/define/report.ts'
import { localInstant } from '../shared/local-time.ts'
import { cursorTable, listSection, tableColumns } from '../shared/query.ts'
import { gigabytes, type RecordingSource } from './source.ts'

/** Lists every recording with the number and the size of its files. */
export function allRecordingsSection(source: RecordingSource): Section {
  const title = 'All recordings'
  const { db, recordings, files, timeZone } = source
  const columns = tableColumns([
    { name: 'started', title: 'Began', format: 'instant' },
    { name: 'session_key', title: 'Session key', format: 'text' },
    { name: 'session_name', title: 'Session', format: 'text' },
    { name: 'trashed', title: 'In the trash', format: 'boolean' },
    { name: 'files', title: 'Files', format: 'integer' },
    { name: 'participant_files', title: 'Participant files', format: 'integer' },
    { name: 'gigabytes', title: 'GB', format: 'decimal' },
    { name: 'session_id', title: 'Session ID', format: 'text' },
  ])
  const query = sql`
    select ${localInstant(sql`r.start_time`, timeZone)} as started, r.session_key, r.session_name, r.trashed,
      coalesce(f.files, 0) as files, coalesce(f.participant_files, 0) as participant_files,
      coalesce(f.gigabytes, 0) as gigabytes, r.session_id
    from ${recordings} r left join (
      select session_id, count(*)::int as files,
        count(*) filter (where of <> 'session')::int as participant_files,
        ${gigabytes(sql`sum(bytes)`)} as gigabytes
      from ${files} f group by 1) f using (session_id)
    order by r.start_time desc nulls last, r.session_id`
  const table = { title, columns, empty: 'There are no recordings.' }
  return listSection(cursorTable(db, table, query))
}
