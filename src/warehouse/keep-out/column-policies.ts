import { sql } from 'kysely'
import { fetchedStream, type Stream } from '../../core/define/stream.ts'
import { ConfigurationError } from '../../core/errors.ts'
import {
  type ColumnAction,
  type ColumnPolicy,
  NOTIFICATIONS,
} from '../../core/records/column-policy.ts'
import type { Transaction } from '../connect.ts'
import { storedSettings, storeSetting } from './stored-settings.ts'

/** The name of a stream, or `notifications`, with the policy that is in force and the configured one. */
export interface PolicyChange {
  name: string
  stream: Stream | undefined
  stored: string
  wanted: string
}

/** Returns the streams, and `notifications`, whose stored data is not under the configured policy. */
export async function policyChanges(
  db: Transaction,
  account: string,
  { policy, streams }: { policy: ColumnPolicy | undefined; streams: readonly Stream[] },
): Promise<PolicyChange[]> {
  const stored = await storedSettings(db, account, READING)
  return [
    ...streams.map((stream) => [stream.name, stream] as const),
    [NOTIFICATIONS] as const,
  ].flatMap(([name, stream]) => {
    const change = { name, stream, stored: stored.get(name) ?? '', wanted: textOf(policy, name) }
    return change.stored === change.wanted ? [] : [change]
  })
}

/** Returns the fields of each stream that the stored data lacks, or has only as digests. */
export async function columnsInForce(
  db: Transaction,
  account: string,
): Promise<{ stream: string; field: string; action: ColumnAction }[]> {
  return [...(await storedSettings(db, account, READING))].flatMap(([stream, text]) => {
    const { fields } = JSON.parse(text) as StoredPolicy
    return Object.entries(fields).map(([field, action]) => ({ stream, field, action }))
  })
}

/** Puts changed policies in force for streams without stored data. Throws if any other policy has changed. */
export async function requirePolicies(
  tx: Transaction,
  account: string,
  given: { policy: ColumnPolicy | undefined; streams: readonly Stream[] },
): Promise<void> {
  const held: string[] = []
  for (const change of await policyChanges(tx, account, given))
    if (await isStored(tx, account, change)) held.push(change.name)
    else await putInForce(tx, account, change)
  if (held.length === 0) return
  throw new ConfigurationError('columns_changed', {
    tried: `Syncing account ${account}`,
    came: `accounts[].columns or its key changed for ${held.join(', ')} since the stored rows were written`,
    todo:
      `run callsheet erase --columns --dry-run --account ${account} to list what a rewrite touches, and ` +
      'the same with --yes to rewrite it; or restore the previous setting. Nothing was read',
  })
}

/** Records that all stored data of the stream is under its configured policy. */
export async function putInForce(
  tx: Transaction,
  account: string,
  { name, wanted }: Pick<PolicyChange, 'name' | 'wanted'>,
): Promise<void> {
  await storeSetting(tx, { account, reading: `${READING}${name}` }, wanted)
}

/**
 * Throws if this machine's policy is laxer than the stored one: it would store a field that other machines
 * drop or hash, or hash it with another key. Call this in the transaction that stores notifications.
 */
export async function requireAsStrict(
  tx: Transaction,
  account: string,
  policy: ColumnPolicy | undefined,
): Promise<void> {
  const stored = (await storedSettings(tx, account, READING)).get(NOTIFICATIONS)
  if (stored === undefined) return
  const { fields, key } = JSON.parse(stored) as StoredPolicy
  const own = policy?.settings[NOTIFICATIONS] ?? {}
  const isMet = ([field, action]: [string, ColumnAction]): boolean =>
    own[field] === 'drop' || (own[field] === action && key === policy?.keyMark)
  if (Object.entries(fields).every(isMet)) return
  throw new ConfigurationError('columns_differ', {
    tried: `Storing a notification of account ${account}`,
    expected:
      'the accounts[].columns and the columns key with which the other machines store notifications',
    came: 'this machine would store fields that they drop, or hash them with another key',
    todo:
      "give this machine the other machines' accounts[].columns, columnsKey and state directory's key; " +
      'after a change of the setting, run callsheet erase --columns. The service sends it again',
  })
}

interface StoredPolicy {
  fields: Record<string, ColumnAction>
  /** The mark of the key; set if a field is hashed. */
  key?: string
}

async function isStored(
  db: Transaction,
  account: string,
  { name, stream }: PolicyChange,
): Promise<boolean> {
  const own = stream === undefined ? [] : [...new Set([name, fetchedStream(stream).name])]
  const tables = own.flatMap((one) => [sql.id('svc', one), sql.id('history', one)])
  const found = [
    ...tables.map((table) => sql`exists (select from ${table} where account = ${account})`),
    stream === undefined
      ? sql`exists (select from callsheet.notifications where account = ${account})`
      : sql`exists (select from callsheet.quarantine where account = ${account} and stream = any(${own}))`,
  ]
  const { rows } = await sql<{
    stored: boolean
  }>`select ${sql.join(found, sql` or `)} as stored`.execute(db)
  return rows[0]?.stored === true
}

/** The policy of a stream as text, with a mark of the key if it hashes; empty if there is none. */
function textOf(policy: ColumnPolicy | undefined, name: string): string {
  const fields = Object.entries(policy?.settings[name] ?? {}).toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  )
  if (fields.length === 0) return ''
  const key = fields.some(([, action]) => action === 'hash') ? policy?.keyMark : undefined
  return JSON.stringify({ fields: Object.fromEntries(fields), key })
}

const READING = 'columns of '
