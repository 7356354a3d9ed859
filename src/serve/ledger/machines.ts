import { hostname } from 'node:os'
import { sql } from 'kysely'
import type { Transaction } from '../../warehouse/connect.ts'
import { wall } from '../../warehouse/schema/expressions.ts'

/** A process that shares the work, by host and process ID. */
export interface MachineName {
  host: string
  pid: number
}

export function ownName(): MachineName {
  return { host: hostname(), pid: process.pid }
}

export function isSame(one: MachineName, other: MachineName): boolean {
  return one.host === other.host && one.pid === other.pid
}

/**
 * Whether it is this machine's turn in a span of time, for work that one machine does for all. Machines take
 * turns, so that a machine that does not notice problems hides them only until the next turn. Several have
 * the turn at once if their clocks differ, or if one is not in the list, which always has it.
 */
export function hasTurn(own: MachineName, machines: readonly MachineName[], span: number): boolean {
  const place = machines.findIndex((one) => isSame(one, own))
  return place < 0 || span % machines.length === place
}

/** The settings that machines must share, most of them as digests. */
export interface MachineFacts {
  tokenKey: string
  /** Null if no evidence is kept, or if there is no key yet. */
  evidenceKey: string | null
  store: string
  /** Whether the store is a folder, which the machines may not share. */
  storeIsFolder: boolean
  /** By account, a digest of the settings that say which rows and columns it keeps. */
  policies: Readonly<Record<string, string>>
}

export interface Machine extends MachineName, MachineFacts {}

/** Records that a machine is running, and deletes machines that were not seen for a day. */
export async function recordMachine(
  db: Transaction,
  { host, pid }: MachineName,
  facts: MachineFacts,
): Promise<void> {
  const seen = {
    seen_at: wall,
    token_key: facts.tokenKey,
    evidence_key: facts.evidenceKey,
    store: facts.store,
    store_is_folder: facts.storeIsFolder,
    policies: JSON.stringify(facts.policies),
  }
  await db
    .insertInto('callsheet.machines')
    .values({ host, pid, started_at: wall, ...seen })
    .onConflict((conflict) => conflict.columns(['host', 'pid']).doUpdateSet(seen))
    .execute()
  await db.deleteFrom('callsheet.machines').where('seen_at', '<', before(DAY_SECONDS)).execute()
}

export async function forgetMachine(db: Transaction, { host, pid }: MachineName): Promise<void> {
  await db
    .deleteFrom('callsheet.machines')
    .where('host', '=', host)
    .where('pid', '=', pid)
    .execute()
}

/** Returns the machines that were seen in the last `SEEN_SECONDS`. */
export async function readMachines(db: Transaction): Promise<Machine[]> {
  const rows = await db
    .selectFrom('callsheet.machines')
    .selectAll()
    .where('seen_at', '>=', before(SEEN_SECONDS))
    .orderBy('host')
    .orderBy('pid')
    .execute()
  return rows.map((row) => ({
    host: row.host,
    pid: row.pid,
    tokenKey: row.token_key,
    evidenceKey: row.evidence_key,
    store: row.store,
    storeIsFolder: row.store_is_folder,
    policies: row.policies as MachineFacts['policies'],
  }))
}

function before(seconds: number) {
  return sql<string>`callsheet.wall() - make_interval(secs => ${seconds})`
}

const DAY_SECONDS = 86_400
/** How long a machine counts as running. Each machine records itself every minute. */
const SEEN_SECONDS = 300
