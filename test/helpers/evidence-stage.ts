import { createHash, generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { verifyEvidence } from '../../src/audit/verify/verify-evidence.ts'
import type { VerifyOptions } from '../../src/audit/verify/verifying.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import { addVouched, type EntryFact } from '../../src/evidence/add-entries.ts'
import { appendEvidence } from '../../src/evidence/append-evidence.ts'
import { enterRemoved } from '../../src/evidence/enter-files.ts'
import { stateDecision } from '../../src/evidence/enter-rows.ts'
import { readSigningKey, type SigningKey } from '../../src/evidence/log/signing-key.ts'
import { type AppendOptions } from '../../src/evidence/sql/appending.ts'
import {
  whiteboardActivities,
  whiteboardParticipants,
  whiteboardSessions,
} from '../../src/resources/whiteboard-archives.ts'
import type { FileStore } from '../../src/store/store.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { acquireLease } from '../../src/warehouse/ledger/lease.ts'
import { type TestDatabase, testDatabase } from './database.ts'
import { plainStore } from './plain-store.ts'
import { statingRows } from './stated-rows.ts'

export const ACCOUNT = 'main'
export const STREAMS = [whiteboardSessions, whiteboardParticipants, whiteboardActivities]

/** A database with audited records, a store with files, and functions that act on both. */
export interface EvidenceStage {
  warehouse: Warehouse
  databaseUrl: string
  directory: string
  store: FileStore
  key: SigningKey
  /** The key in PEM format. */
  pem: string
  append(more?: Partial<AppendOptions>): ReturnType<typeof appendEvidence>
  verify(more?: Partial<VerifyOptions>): ReturnType<typeof verifyEvidence>
  /** Appends the entry of an erasure or a prune, signed with the key. */
  vouch(facts: readonly EntryFact[]): Promise<void>
  /** Removes the file of an activity in the ledger and appends the entry, as a prune does. */
  removeFile(file: { session: string; id: string }): Promise<void>
  /** Runs a statement with the tables' triggers off, as only a superuser can. */
  tamper(statement: string): Promise<void>
  close(): Promise<void>
}

export function newKey(): SigningKey {
  return readSigningKey(newPem(), 'a test')
}

function newPem(): string {
  const { privateKey } = generateKeyPairSync('ed25519')
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
}

export async function openEvidenceStage(
  own?: TestDatabase,
  {
    directory = mkdtempSync(join(tmpdir(), 'callsheet-evidence-')),
    pem = newPem(),
    store = plainStore(directory),
    ...frozen
  }: { directory?: string; pem?: string; store?: FileStore; frozenNow?: number } = {},
): Promise<EvidenceStage> {
  const key = readSigningKey(pem, 'a test')
  const database = own ?? (await testDatabase())
  const warehouse = connect({ url: database.url, poolSize: 4, ...frozen })
  await store.open()
  const signal = new AbortController().signal
  const vouching = { account: ACCOUNT, key, basis: 'a test' }
  const common = { account: ACCOUNT, store, streams: STREAMS, signal }
  return {
    warehouse,
    databaseUrl: database.url,
    directory,
    store,
    key,
    pem,
    async append(more = {}) {
      const clock = systemClock
      const wanted = { account: ACCOUNT, job: 'test', clock }
      const lease = more.lease ?? (await acquireLease(warehouse, wanted))
      try {
        const options = { ...common, lease, key, previousKeys: [], ...more }
        return await appendEvidence({ warehouse, clock, observer: silentObserver }, options)
      } finally {
        if (more.lease === undefined) await lease.release()
      }
    },
    verify: (more = {}) =>
      verifyEvidence(
        { warehouse },
        { ...common, keys: [key.publicKey.fingerprint], keyPinned: true, ...more },
      ),
    vouch: (facts) => warehouse.transaction((tx) => addVouched(tx, vouching, facts)),
    removeFile: ({ session: parent, id: item }) =>
      warehouse.transaction(async (tx) => {
        await sql`update callsheet.files set state = 'removed', state_at = now()
          where parent = ${parent} and item = ${item}`.execute(tx)
        await enterRemoved(tx, vouching, [{ kind: 'activity', parent, item }])
      }),
    tamper: (statement) =>
      warehouse.withClient(async (client) => {
        await client.query('set session_replication_role = replica')
        await client.query(statement)
        await client.query('reset session_replication_role')
      }),
    async close() {
      await store.close()
      await warehouse.close()
      await database.drop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Adds an ended run of the job that reads whiteboards. Returns its ID. */
export async function addRun(
  { warehouse, key }: EvidenceStage,
  account = ACCOUNT,
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into callsheet.runs (account, job, epoch, state, started_at, finished_at)
    values (${account}, 'whiteboard-archives', 1, 'complete', now(), now()) returning id`.execute(
    warehouse.db,
  )
  const [{ id } = { id: 0 }] = rows
  // Makes the log entry as the run itself does; without a log, the first append makes it.
  const own = { account, key: () => key, ledger: 'runs' } as const
  await warehouse.transaction((tx) => stateDecision(tx, own, [id]))
  return id
}

/** Adds a session, with one participant unless others are given. */
export async function addSession(stage: EvidenceStage, session: NewSession): Promise<void> {
  const { runId, id, account = ACCOUNT, ...more } = session
  const { board: on = 'board-1', start = '2026-06-01T10:00:00Z', end, people = [ANNA] } = more
  const participants = people.map((one) => ({ ...one, join_whiteboard_time: start }))
  const board = { whiteboard_id: on, whiteboard_name: 'Plans' }
  const record = { id, ...board, start_time: start, end_time: end }
  const bytes = JSON.stringify({ ...record, regulated_participants: participants })
  await statingRows({ ...stage, account }, async (tx) => {
    await sql`insert into svc.whiteboard_sessions (account, id, start_time, end_time, whiteboard_id,
      whiteboard_name, _raw, _bytes, _hash, _first_seen_at, _changed_at, _run_id)
    values (${account}, ${id}, ${start}, ${end ?? null}, ${on}, 'Plans', ${bytes}::jsonb,
      ${Buffer.from(bytes)}, '\\x00', now(), now(), ${runId})`.execute(tx)
    for (const one of participants) {
      const { user_id: user, user_name: name, email = null } = one
      await sql`insert into svc.whiteboard_participants (account, session_id, user_id, user_name, email,
        join_whiteboard_time, ordinal, joined_at, _raw, _hash, _first_seen_at, _changed_at, _run_id)
      values (${account}, ${id}, ${user}, ${name}, ${email}, ${start}, 0, ${start}, ${one}::jsonb,
        '\\x00', now(), now(), ${runId})`.execute(tx)
    }
  })
}

export interface NewSession {
  runId: number
  id: string
  account?: string
  board?: string
  /** Null if the service did not send it. */
  start?: string | null
  end?: string
  people?: readonly Participant[]
}

interface Participant {
  user_id: string
  user_name: string
  email?: string
}

const ANNA: Participant = { user_id: 'u-1', user_name: 'Anna' }

export async function addActivity(stage: EvidenceStage, activity: NewActivity): Promise<void> {
  const { runId, session, id, content = 'Ahoj', account = ACCOUNT } = activity
  const { user = 'u-1', email = null, at = '2026-06-01T10:05:00Z' } = activity
  const bytes = JSON.stringify({ id, type: 'add', user_id: user, email, content, create_time: at })
  await statingRows({ ...stage, account }, async (tx) => {
    await sql`insert into svc.whiteboard_activities (account, session_id, id, type, create_time, user_id,
      email, content, _raw, _bytes, _hash, _first_seen_at, _changed_at, _run_id)
    values (${account}, ${session}, ${id}, 'add', ${at}, ${user}, ${email}, ${content},
      ${bytes}::jsonb, ${Buffer.from(bytes)}, '\\x00', now(), now(), ${runId})`.execute(tx)
  })
}

export interface NewActivity {
  runId: number
  session: string
  id: string
  content?: string
  account?: string
  user?: string
  email?: string
  at?: string | null
}

/** Stores a file of an activity, as the download does. Returns its digest. */
export async function addFile(
  { warehouse, store }: EvidenceStage,
  file: { runId: number; session: string; id: string; content: string | Buffer; account?: string },
): Promise<string> {
  const { runId, session, id, content, account = ACCOUNT } = file
  const sha256 = createHash('sha256').update(content).digest('hex')
  const draft = await store.receive()
  await draft.write(Buffer.from(content as string))
  await draft.keep(sha256)
  await sql`insert into callsheet.files
      (account, kind, parent, item, state, sha256, size, state_at, run_id, expires_at)
    values (${account}, 'activity', ${session}, ${id}, 'stored', ${Buffer.from(sha256, 'hex')},
      ${Buffer.byteLength(content)}, now(), ${runId}, now() + interval '9 days')`.execute(
    warehouse.db,
  )
  return sha256
}

/** Adds three sessions with four activities each, all with a file; some have awkward names. */
export async function fillStage(stage: EvidenceStage): Promise<void> {
  const runId = await addRun(stage)
  for (const session of SESSIONS) {
    await addSession(stage, { runId, id: session })
    for (const id of ACTIVITIES) {
      await addActivity(stage, { runId, session, id, content: `${session} ${id}` })
      await addFile(stage, { runId, session, id, content: `file of ${session} ${id}` })
    }
  }
}

/** The number of entries after `fillStage` and an append. */
export const FILLED =
  3 +
  12 + // sessions and their activities
  12 + // files
  15 + // the rows of each session and activity
  1 + // the run
  1 // the baseline

/** The number of entries that another session and its run add. */
export const ADDED = 3 // the record, its rows, the run

export const SESSIONS = ['s-1', '/s+2==', 'š 3']
export const ACTIVITIES = ['a-1', 'a-2', 'a/3', 'a%4']
