import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { type PreviewedFile, previewPrune } from '../../src/archive/preview-prune.ts'
import { type PruneDeps, type Pruned, pruneArchive } from '../../src/archive/prune-archive.ts'
import type { RetentionRule } from '../../src/archive/sql/retention-rules.ts'
import { verifyEvidence } from '../../src/audit/verify/verify-evidence.ts'
import type { VerifiedEvidence } from '../../src/audit/verify/verifying.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import { createS3Store } from '../../src/store/s3-store.ts'
import type { FileStore } from '../../src/store/store.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { useWarehouse } from '../helpers/database.ts'
import { newKey } from '../helpers/evidence-stage.ts'
import { type Bucket, openBucket } from '../store/bucket.ts'

export interface Retention {
  warehouse: Warehouse
  /** The store of a bucket on loopback. */
  store: FileStore
  /** A new account for each test. */
  account: string
  keepFiles(...files: RetainedFile[]): Promise<void>
  prune(rules: readonly RetentionRule[], changes?: Partial<PruneDeps>): Promise<Pruned>
  /** Lines of `item verdict` and the hold or the rule, sorted. */
  preview(rules: readonly RetentionRule[]): Promise<string[]>
  states(): Promise<string[]>
  verify(): Promise<VerifiedEvidence>
}

/** A database and a bucket for all tests of a file, with a new account for each test. */
export function useRetention(): Retention {
  const stage = {} as Retention
  let bucket: Bucket
  let accounts = 0
  useWarehouse((opened) => {
    stage.warehouse = opened
  })
  beforeAll(async () => {
    bucket = await openBucket()
  })
  afterAll(() => bucket.close())
  beforeEach(async () => {
    stage.account = `account-${accounts++}`
    stage.store = createS3Store(bucket.options(stage.account))
    await stage.store.open()
  })
  stage.keepFiles = async (...files) => {
    for (const file of files) await retain(stage, file)
  }
  stage.prune = async (rules, changes = {}) => {
    const { warehouse, store, account } = stage
    const deps = { warehouse, store, clock: systemClock, observer: silentObserver, key: KEY }
    const { signal } = new AbortController()
    const recordRemovals = () => enterRemovals(warehouse, account)
    return await pruneArchive({ ...deps, recordRemovals, ...changes }, { account, rules, signal })
  }
  stage.preview = async (rules) => {
    const seen: PreviewedFile[] = []
    await previewPrune(stage, { account: stage.account, rules }, (file) => void seen.push(file))
    return seen
      .map(({ item, verdict, hold, rule }) => `${item} ${verdict} ${hold ?? `by rule ${rule}`}`)
      .toSorted()
  }
  stage.states = () => statesOf(stage.warehouse, stage.account)
  stage.verify = () => {
    const { account, store } = stage
    const { signal } = new AbortController()
    const options = { account, store, streams: [], signal, keys: [], keyPinned: false }
    return verifyEvidence(stage, options)
  }
  return stage
}

/** Marks each removal as if the manifest had its entry. */
export async function enterRemovals({ db }: Warehouse, account: string): Promise<void> {
  await sql`update callsheet.files set entered = true
    where account = ${account} and state = 'removed'`.execute(db)
}

export interface RetainedFile {
  session: string
  item: string
  /** The file's text; files with equal text share their content. */
  content: string
  whiteboard?: string
  /** In days. */
  age: number
  kind?: 'activity' | 'recording'
}

/** Puts a file into the store and its rows into the tables, as a run that fetches it does. */
export async function retain(
  { warehouse, store, account }: { warehouse: Warehouse; store: FileStore; account: string },
  file: RetainedFile,
): Promise<string> {
  const { session, item, content, whiteboard = 'wb-1', age, kind = 'activity' } = file
  const sha256 = await keep(store, content)
  const at = sql`callsheet.clock() - make_interval(days => ${age})`
  const kept = sql`'{}', '\\x00', callsheet.clock(), callsheet.clock(), 1`
  const { db } = warehouse
  if (kind === 'activity') {
    await sql`insert into svc.whiteboard_sessions (account, id, start_time, expire_time, whiteboard_id,
        _raw, _hash, _first_seen_at, _changed_at, _run_id)
      values (${account}, ${session}, ${at}, ${at}, ${whiteboard}, ${kept})
      on conflict do nothing`.execute(db)
    await sql`insert into svc.whiteboard_activities (account, session_id, id, create_time,
        _raw, _hash, _first_seen_at, _changed_at, _run_id)
      values (${account}, ${session}, ${item}, ${at}, ${kept})`.execute(db)
  } else {
    await sql`insert into svc.recording_sessions (account, session_id, start_time,
        _raw, _hash, _first_seen_at, _changed_at, _run_id)
      values (${account}, ${session}, ${at}, ${kept}) on conflict do nothing`.execute(db)
  }
  await sql`insert into callsheet.files (account, kind, parent, item, state, sha256, size, state_at)
    values (${account}, ${kind}, ${session}, ${item}, 'stored', decode(${sha256}, 'hex'),
      ${content.length}, callsheet.clock())`.execute(db)
  return sha256
}

/** Stores a text and returns its digest. */
export async function keep(store: FileStore, content: string): Promise<string> {
  const sha256 = createHash('sha256').update(content).digest('hex')
  const draft = await store.receive()
  await draft.write(Buffer.from(content))
  await draft.keep(sha256)
  return sha256
}

/** Lines of `item state`, with `!` while the bytes are not recorded as gone. */
export async function statesOf(warehouse: Warehouse, account: string): Promise<string[]> {
  const { rows } = await sql<{ item: string; state: string; open: boolean }>`
    select item, state, state = 'removed' and bytes_gone_at is null as open from callsheet.files
    where account = ${account} order by item`.execute(warehouse.db)
  return rows.map(({ item, state, open }) => `${item} ${state}${open ? '!' : ''}`)
}

const KEY = newKey()
