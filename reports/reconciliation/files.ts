import { sql } from 'kysely'
import type { Section } from '../../src/core/define/report.ts'
import { whiteboardActivities } from '../../src/resources/whiteboard-archives.ts'
import { section } from '../shared/blocks.ts'
import { countWhere, rowCount } from '../shared/expressions.ts'
import { instantOf, localInstant } from '../shared/local-time.ts'
import { orderedTable, tableColumns, tableOf } from '../shared/query.ts'
import type { Source } from './source.ts'

const STATES = tableColumns([
  { name: 'kind', title: 'Kind', format: 'text' },
  { name: 'state', title: 'State', format: 'text', tint: 'state' },
  { name: 'ofDay', title: 'On the day', format: 'integer' },
  { name: 'bytesOfDay', title: 'Bytes on the day', format: 'integer' },
  { name: 'files', title: 'Total', format: 'integer' },
])

export type FileCount = Awaited<ReturnType<typeof knownFiles>>[number]

/** Counts files by kind and state. Files of activities that are not in the ledger yet count as pending. */
export async function readFiles(source: Source): Promise<FileCount[]> {
  const known = await knownFiles(source)
  const unlisted = await unlistedActivities(source)
  if (unlisted === 0) return known
  const pending = known.find(({ kind, state }) => kind === 'activity' && state === 'pending')
  const others = known.filter((one) => one !== pending)
  const { ofDay = 0, files = 0 } = pending ?? {}
  const all = {
    kind: 'activity',
    state: 'pending',
    ofDay,
    bytesOfDay: null,
    files: files + unlisted,
  } as const
  return [...others, all].toSorted((a, b) =>
    `${a.kind} ${a.state}` < `${b.kind} ${b.state}` ? -1 : 1,
  )
}

/** A missing file without an incident was never offered by the service, so its state is `no file`. */
async function knownFiles({ db, account, period }: Source) {
  const ofDay = sql<boolean>`state_at >= ${instantOf(period.fromMs)} and state_at < ${instantOf(period.toMs)}`
  const told = db.selectFrom('callsheet.incidents').select('subject').where('account', '=', account)
  const subject = sql<string>`(kind || ':' || parent || ':' || item)`
  return await db
    .selectFrom('callsheet.files')
    .select('kind')
    .select(({ eb, ref }) => {
      const never = eb.and([eb('state', '=', 'missing'), eb.not(eb(subject, 'in', told))])
      return [
        eb.case().when(never).then('no file').else(ref('state')).end().as('state'),
        countWhere(ofDay).as('ofDay'),
        sql<number | null>`(sum(size) filter (where ${ofDay}))::float8`.as('bytesOfDay'),
        rowCount.as('files'),
      ]
    })
    .where('account', '=', account)
    .groupBy([sql`1`, sql`2`])
    .orderBy(sql`1`)
    .orderBy(sql`2`)
    .execute()
}

/** Counts activities whose file is not in the ledger. A file enters the ledger at the first attempt. */
async function unlistedActivities({ db, account, rows }: Source): Promise<number> {
  const { count } = await db
    .selectFrom(rows(whiteboardActivities).as('a'))
    .leftJoin('callsheet.files as f', (join) =>
      join
        .on('f.account', '=', account)
        .on('f.kind', '=', 'activity')
        .onRef('f.parent', '=', 'a.session_id')
        .onRef('f.item', '=', 'a.id'),
    )
    .select(rowCount.as('count'))
    .where('f.item', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

const INCIDENTS = tableColumns([
  { name: 'time', title: 'At', format: 'instant' },
  { name: 'kind', title: 'Kind', format: 'text' },
  { name: 'subject', title: 'Subject', format: 'text' },
  { name: 'run_id', title: 'Run', format: 'integer' },
])

/** Shows files by state, and the day's incidents. */
export function filesSection(source: Source, files: readonly FileCount[]): Section {
  const { db, account, period, timeZone } = source
  const text =
    'Files by kind and present state, and how many reached that state on the day. A file that ' +
    'was stored on the day and removed since then counts as removed. “No file” means that the ' +
    'service never offered one.'
  const incidents = db
    .selectFrom('callsheet.incidents as i')
    .select(({ ref }) => localInstant(ref('i.at'), timeZone).as('time'))
    .select(['i.id', 'i.kind', 'i.subject', 'i.run_id'])
    .where('i.account', '=', account)
    .where('i.at', '>=', instantOf(period.fromMs))
    .where('i.at', '<', instantOf(period.toMs))
  const empty = 'No incidents were recorded on this day.'
  const ofDay = { title: 'Incidents of the day', columns: INCIDENTS, empty }
  return section(
    'Files',
    text,
    tableOf({ title: 'By kind and state', columns: STATES, empty: 'There are no files.' }, files),
    orderedTable(db, ofDay, { rows: incidents, order: ['time', 'id'] }),
  )
}

/** Counts the files that reached one of the states on the day and are still in it. */
export function filesOfDay(files: readonly FileCount[], ...states: readonly string[]): number {
  return files.reduce((sum, { state, ofDay }) => sum + (states.includes(state) ? ofDay : 0), 0)
}

export function filesNow(files: readonly FileCount[], state: string): number {
  return files.reduce((sum, one) => sum + (one.state === state ? one.files : 0), 0)
}
