import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { jobs, streams } from '../../src/account/catalog.ts'
import type { PgType } from '../../src/core/define/column.ts'
import { type FileSource, fileItem } from '../../src/core/define/file-source.ts'
import type { Stream } from '../../src/core/define/stream.ts'
import { createDirectoryStore } from '../../src/store/directory-store.ts'
import type { World } from '../helpers/world.ts'
import { canary, MARIA, OTTO } from './cast.ts'
import { plantLedgers, plantNotifications, plantReport, plantStates } from './plant-ledgers.ts'
import { DATA_TABLES } from './stage.ts'

export interface Planted {
  /** The data tables and the ledgers that name the person now. */
  tables: string[]
  ledgers: string[]
  archive: string
  reports: string
  archivedFiles: number
}

/** Plants data about Maria in every field and file that can contain it, and some data about Otto. */
export async function plantEverything(world: World): Promise<Planted> {
  const place = dirname(world.place.configFile)
  const archive = join(place, 'archive', 'account-0')
  const reports = join(place, 'out')
  for (const stream of streams) await plantRows(world, stream)
  const archivedFiles = await plantFiles(world, archive)
  await plantLedgers(world)
  await plantNotifications(world)
  await plantStates(world)
  await plantReport(world, reports)
  const ledgers = [
    'calls',
    'drift',
    'event_states',
    'notifications',
    'published_reports',
    'quarantine',
    'slices',
    'slice_states',
    'deletion_candidates',
  ].map((name) => `callsheet.${name}`)
  const tables = DATA_TABLES.map(({ schema, name }) => `${schema}.${name}`)
  return { tables, ledgers, archive, reports, archivedFiles }
}

const FILE_SOURCES = jobs.flatMap((job): FileSource[] =>
  job.archive === undefined ? [] : [job.archive],
)

function inManifest(stream: Stream): boolean {
  const ofFiles = FILE_SOURCES.flatMap(({ rows }) => rows.map((row) => row.stream))
  return stream.audited === true || ofFiles.includes(stream)
}

/** Adds rows about her, about him, and with lists that name both; each with a previous version. */
async function plantRows(world: World, stream: Stream): Promise<void> {
  const about = stream.subject === undefined ? [] : ['about', 'gone']
  for (const kind of [...about, 'about-otto', 'list']) {
    const columns = Object.entries(stream.columns).map(([name, { pg }]): [string, unknown] => [
      name,
      valueOf({ stream, kind, name, pg }),
    ])
    const raw = payload(kind)
    const bytes = stream.audited === true ? JSON.stringify(raw).replaceAll('ö', '\\u00f6') : null
    const row = {
      ...Object.fromEntries(columns),
      account: 'account-0',
      _raw: raw,
      _bytes: bytes === null ? null : `\\x${Buffer.from(bytes).toString('hex')}`,
      _hash: '\\x00',
      _salt: '\\x00',
      _first_seen_at: '2026-07-01T00:00:00Z',
      _changed_at: '2026-07-01T00:00:00Z',
      _deleted_at: kind === 'gone' ? '2026-07-02T00:00:00Z' : null,
      _run_id: 1,
      _valid_from: '2026-06-01T00:00:00Z',
      _valid_to: '2026-07-01T00:00:00Z',
      _ended_by_run: 1,
      _end: 'changed',
    }
    for (const schema of ['svc', 'history']) {
      const table = sql.id(schema, stream.name)
      await sql`insert into ${table}
        select * from jsonb_populate_record(null::${table}, ${JSON.stringify(row)}::jsonb)`.execute(
        world.warehouse.db,
      )
    }
  }
}

interface Field {
  stream: Stream
  kind: string
  name: string
  pg: PgType
}

function valueOf({ stream, kind, name, pg }: Field): unknown {
  const hers = kind === 'about' || kind === 'gone'
  const said = hers ? canary() : 'plain'
  if (pg === 'text[]') return kind === 'list' ? [MARIA.email, OTTO.email] : [said]
  if (pg === 'jsonb') return kind === 'list' ? people() : { of: said }
  if (pg === 'timestamptz') return '2026-07-01T00:00:00Z'
  if (pg === 'boolean') return true
  if (pg !== 'text') return kind === 'gone' ? 8 : 7
  const { id, email } = hers ? MARIA : OTTO
  if (kind !== 'list' && stream.subject?.includes(name) === true)
    return kind === 'gone' && stream.key.join() === name
      ? `pending:${email}`
      : /mail/.test(name)
        ? email
        : id
  // An erasure keeps the IDs of sessions and files, by which the manifest names records.
  if (inManifest(stream) && stream.key.includes(name)) {
    // File names are unique in a session, so each stream gets its own.
    const own = stream.key[0] === name ? '' : `${stream.name}-`
    return `${kind}-${own}${name}`
  }
  if (stream.key.includes(name)) return hers ? `${said}-${kind}` : `${kind}-${name}`
  return kind === 'list' ? aside(name) : said
}

/** A longer text that mentions her. */
function aside(name: string): string {
  return name.length % 2 === 0 ? `ask ${MARIA.email}, or ${OTTO.email}.` : `/p/${MARIA.id}/of`
}

function entry(person: typeof MARIA, text: () => string): object {
  return {
    user_id: person.id,
    email: person.email,
    display_name: person.name,
    note: text(),
    deep: [{ note: text(), more: [text()] }],
  }
}

function people(): object[] {
  const deeper = [entry(MARIA, canary), entry(OTTO, () => 'plain')]
  return [entry(OTTO, () => 'plain'), entry(MARIA, canary), { deeper }]
}

function payload(kind: string): object {
  if (kind !== 'list')
    return kind === 'about-otto' ? entry(OTTO, () => 'plain') : entry(MARIA, canary)
  return {
    id: 'list',
    people: people(),
    invited: [MARIA.email.toUpperCase(), OTTO.email],
    by_person: { [MARIA.id]: canary(), [OTTO.id]: 'plain' },
    owner: entry(MARIA, canary),
    owner_email: MARIA.email,
    display_name: MARIA.name,
    remark: `from ${MARIA.email} and ${MARIA.id}; to ${OTTO.email}`,
  }
}

async function plantFiles(world: World, archive: string): Promise<number> {
  const store = createDirectoryStore(archive)
  await store.open()
  let files = 0
  for (const { kind, rows } of FILE_SOURCES)
    for (const { stream, item, ordinal } of rows) {
      if (stream.subject === undefined) continue
      const { rows: found } = await sql<Record<string, string>>`
        select ${sql.join(stream.key.map((name) => sql`${sql.id(name)}::text`))}
        from ${sql.id('svc', stream.name)} t where ${sql.id(stream.key[0] ?? '')} in (
          'about-session_id', 'gone-session_id')`.execute(world.warehouse.db)
      for (const key of found) {
        const bytes = Buffer.from(`${canary()} as drawn by ${MARIA.email}`)
        const sha256 = createHash('sha256').update(bytes).digest()
        const draft = await store.receive()
        await draft.write(bytes)
        await draft.keep(sha256.toString('hex'))
        const part = (name: string | undefined): string => key[name ?? ''] ?? '0'
        await sql`insert into callsheet.files (account, kind, parent, item, state, sha256, size, state_at)
          values ('account-0', ${kind}, ${part(stream.key[0])},
            ${fileItem(part(item), Number(part(ordinal)))}, 'stored', ${sha256}, ${bytes.length},
            callsheet.clock())`.execute(world.warehouse.db)
        files++
      }
    }
  await store.close()
  return files
}
