import { dirname, join } from 'node:path'
import { type RawBuilder, sql } from 'kysely'
import whiteboardAudit from '../../reports/whiteboard-audit.ts'
import { catalog, streams } from '../../src/account/catalog.ts'
import { openErasure } from '../../src/account/open-erasure.ts'
import { openEvidence } from '../../src/account/open-evidence.ts'
import { statesHold } from '../../src/account/state-decisions.ts'
import type { OpenWarehouse } from '../../src/account/wire.ts'
import { verifyEvidence } from '../../src/audit/verify/verify-evidence.ts'
import { exportBundle } from '../../src/cli/frame/export-bundle.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { identityOf } from '../../src/core/persons/identity.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import { type ErasedRequest, eraseRequests } from '../../src/erasure/erase-requests.ts'
import { readmitPersons } from '../../src/erasure/readmit-persons.ts'
import type { SigningKey } from '../../src/evidence/log/signing-key.ts'
import { publishReport } from '../../src/report/publish-report.ts'
import { receiveNotification } from '../../src/serve/notifications/receive-notification.ts'
import { createDirectoryStore } from '../../src/store/directory-store.ts'
import type { FileStore } from '../../src/store/store.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { TOLD_SECRET, type World } from '../helpers/world.ts'

export interface EraseOptions {
  account?: string
  /** IDs and addresses; by default the persons of all waiting requests. */
  persons?: readonly string[]
  byName?: boolean
  /** True if a person confirms that the reported files were handled. */
  settled?: boolean
  dryRun?: boolean
  /** Requests that a person confirms as genuine. */
  confirmed?: readonly number[]
  onUnproven?: (ids: number[]) => void
  /** Longer words that a person confirms as another person's. */
  othersWords?: readonly string[]
  /** The current secrets of notifications; by default the configured ones. */
  secrets?: readonly string[]
  /** Replaces the configured store for the erasure. */
  store?: (store: FileStore) => FileStore
}

/** Erases as the command does, with the world's own configuration. */
export async function erase(world: World, options: EraseOptions = {}): Promise<ErasedRequest[]> {
  const { account = 'account-0', persons, byName = false, dryRun = false } = options
  const { confirmed = [], othersWords = [], onUnproven = () => undefined } = options
  const { signal } = new AbortController()
  const { deps, close } = await openErasure(openedOf(world), { account, signal })
  const store = options.store?.(deps.store) ?? deps.store
  try {
    return await eraseRequests(
      { ...deps, store, secrets: options.secrets ?? deps.secrets },
      {
        account,
        ...(persons === undefined ? {} : { persons: persons.map(identityOf) }),
        askedBy: 'a test',
        byName,
        settled: options.settled === true,
        dryRun,
        confirmed,
        othersWords,
        onUnproven,
        signal,
      },
    )
  } finally {
    await close()
  }
}

/** Readmits persons, as the command does. */
export async function readmit(
  world: World,
  ...texts: string[]
): Promise<{ closed: number; taken: number }> {
  const { signal } = new AbortController()
  const account = 'account-0'
  const { deps, close } = await openErasure(openedOf(world), { account, signal })
  try {
    return await readmitPersons(deps, { account, persons: texts.map(identityOf) })
  } finally {
    await close()
  }
}

/** Receives a notification from the service; returns whether it is new. */
export async function tell(
  { warehouse }: World,
  body: object | string,
): Promise<'stored' | 'repeated'> {
  return await receiveNotification(
    { warehouse, clock: systemClock, observer: silentObserver },
    {
      account: 'account-0',
      accountId: null,
      clientId: null,
      secret: TOLD_SECRET,
    },
    Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  )
}

/** The warehouse and wiring of a command with the world's configuration, or with another database. */
export function openedOf(world: World, warehouse = world.warehouse): OpenWarehouse {
  const { config } = loadConfig({ path: world.place.configFile, ...catalog, environment: {} })
  const wiring = { config, clock: systemClock, observer: silentObserver }
  return { wiring, warehouse, embedded: false, close: () => Promise.resolve() }
}

/** States the holds that a test places and releases, as the command does. */
export function stating(world: World, account = 'account-0') {
  return { onDecided: statesHold(openedOf(world).wiring, account) }
}

/** The key of the world's evidence, which its commands have. */
export function keyOf(world: World): SigningKey {
  return openEvidence(openedOf(world).wiring).key
}

/** Exports the evidence about one user for all days, and returns the bundle's path. */
export async function exportPerson(world: World, user: string): Promise<string> {
  const { path } = await exportBundle(openedOf(world), 'account-0', {
    from: '2020-01-01',
    to: '2030-01-01',
    user,
    directory: join(dirname(world.place.configFile), 'out'),
    signal: new AbortController().signal,
  })
  return path
}

/** Publishes the report about one user, and returns the paths of its files. */
export async function publishPerson(world: World, user: string): Promise<string[]> {
  const { files } = await publishReport(world.account.deps, {
    report: whiteboardAudit,
    account: 'account-0',
    params: { user },
    timeZone: 'UTC',
    formats: ['xlsx', 'html', 'csv'],
    directory: join(dirname(world.place.configFile), 'out'),
  })
  return files.map(({ path }) => path)
}

export async function verify(world: World) {
  const store = createDirectoryStore(join(dirname(world.place.configFile), 'archive', 'account-0'))
  return await verifyEvidence(
    { warehouse: world.warehouse },
    {
      account: 'account-0',
      store,
      streams,
      signal: new AbortController().signal,
      keys: [],
      keyPinned: false,
      ownKey: keyOf(world).publicKey,
      secrets: [TOLD_SECRET],
    },
  )
}

export const DATA_TABLES = streams.flatMap(({ name }) => [
  { schema: 'svc', name },
  { schema: 'history', name },
])

/** The tables that contain any of the texts, in clear or as hex, in any case. */
export async function tablesWith(
  warehouse: Warehouse,
  texts: readonly string[],
): Promise<string[]> {
  const { rows: tables } = await sql<{ schema: string; name: string }>`
    select n.nspname as schema, c.relname as name from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('svc', 'history', 'callsheet') and c.relkind in ('r', 'p')
      and not c.relispartition order by 1, 2`.execute(warehouse.db)
  const found: string[] = []
  for (const { schema, name } of tables) {
    const { rows } = await sql<{ row: string; bytes: string }>`
      select t::text as row, to_jsonb(t)::text as bytes from ${sql.id(schema, name)} t`.execute(
      warehouse.db,
    )
    const words = texts.map((text) => text.toLowerCase())
    const hexed = words.map((word) => Buffer.from(word).toString('hex'))
    const says = ({ row }: { row: string }): boolean =>
      words.some((word) => row.toLowerCase().includes(word)) ||
      hexed.some((hex) => row.includes(hex))
    if (rows.some(says)) found.push(`${schema}.${name}`)
  }
  return found
}

/** By table, the digests of the rows that contain none of the texts. */
export async function digests(
  warehouse: Warehouse,
  account: string,
  texts: readonly string[],
): Promise<Map<string, string[]>> {
  const all = new Map<string, string[]>()
  for (const { schema, name } of DATA_TABLES) {
    const { rows } = await sql<{ digest: string }>`
      select md5(t::text) as digest from ${sql.id(schema, name)} t where t.account = ${account}
        and not exists (select 1 from unnest(${[...texts]}::text[]) x
          where position(lower(x) in lower(t::text)) > 0) order by 1`.execute(warehouse.db)
    const said = rows.map(({ digest }) => digest)
    all.set(`${schema}.${name}`, said)
  }
  return all
}

export interface Person {
  id: string
  email: string
  name: string
}

/** The active users with the most stored activity files (`author`) and phone numbers (`holder`). */
export async function busiest(warehouse: Warehouse, account = 'account-0') {
  const first = async (counted: RawBuilder<unknown>): Promise<Person> => {
    const { rows } = await sql<{ id: string; email: string; display_name: string }>`
      select u.id, u.email, u.display_name from svc.users u
      where u.account = ${account} and u.status = 'active'
      order by (select count(*) from ${counted}) desc, u.id limit 1`.execute(warehouse.db)
    const [row] = rows
    if (row === undefined) throw new Error('there are no users')
    return { id: row.id, email: row.email, name: row.display_name }
  }
  return {
    author: await first(sql`svc.whiteboard_activities a
      join callsheet.files f on f.account = a.account and f.parent = a.session_id and f.item = a.id
        and f.state = 'stored'
      where a.account = u.account and a.user_id = u.id`),
    holder: await first(sql`svc.phone_number_assignments p
      where p.account = u.account and p.assigned_to_id = u.id`),
  }
}
