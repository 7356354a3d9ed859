import { sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import {
  decidingStream,
  type PartFields,
  partText,
  type RowSettings,
} from '../../core/records/row-part.ts'
import { iso } from '../../core/time/time.ts'
import type { Transaction } from '../connect.ts'
import { now } from '../schema/expressions.ts'
import { storedSettings, storeSetting } from './stored-settings.ts'

/** The part of a stream that its table has. Until `whole` is true, the table may have other rows too. */
interface StoredPart {
  /** As in `accounts[].rows`; empty if the account keeps all records again. */
  fields: PartFields
  /** The part in words (`partText`), for the views of the schema `report`. */
  text: string
  /** Whether the list was read to its end since this part was configured. */
  whole: boolean
  /** When this part was configured; before, the table had another part. */
  since: string
}

export interface PartInForce extends StoredPart {
  stream: string
}

/** Returns the parts of the account's tables, also of those whose list is not read to its end yet. */
export async function partsInForce(db: Transaction, account: string): Promise<PartInForce[]> {
  const stored = await storedSettings(db, account, READING)
  return [...stored].map(([stream, text]) => ({ stream, ...(JSON.parse(text) as StoredPart) }))
}

/** The part of a stream that its table has, in words. */
export interface PartKept {
  text: string
  /** Whether the list was read to its end since the part was configured. */
  read: boolean
}

/**
 * Describes the part that a stream's table had at `atMs`; undefined for all rows. If the part was set later,
 * the text contains that time. The stream's own part decides, or that of the stream that it follows.
 */
export function partKept(
  parts: readonly PartInForce[],
  stream: Stream,
  atMs: number,
): PartKept | undefined {
  const { name } = decidingStream(stream)
  const part = parts.find((one) => one.stream === name)
  if (part === undefined) return undefined
  const { fields, text, whole: read, since } = part
  const sinceMs = Date.parse(since)
  if (atMs < sinceMs) return { text: `${text} since ${iso(sinceMs)}, others before`, read }
  return isWhole(fields) && read ? undefined : { text, read }
}

/** Returns true if a stream was not yet read to its end under its configured part. */
export async function isPartUnread(
  db: Transaction,
  account: string,
  { stream, rows }: { stream: Stream; rows: RowSettings | undefined },
): Promise<boolean> {
  const stored = (await partsInForce(db, account)).find((one) => one.stream === stream.name)
  const wanted = rows?.[stream.name] ?? {}
  return stored === undefined ? !isWhole(wanted) : !stored.whole || !isSame(stored.fields, wanted)
}

/**
 * Records changed parts of these streams. Until a list is read to its end under a changed part, its table may
 * have rows of both parts.
 */
export async function beginParts(
  tx: Transaction,
  account: string,
  { rows = {}, streams }: { rows: RowSettings | undefined; streams: readonly Stream[] },
): Promise<void> {
  const stored = new Map((await partsInForce(tx, account)).map((one) => [one.stream, one]))
  const { since } = await tx
    .selectNoFrom(sql<string>`to_json(${now})#>>'{}'`.as('since'))
    .executeTakeFirstOrThrow()
  for (const { name } of streams) {
    const [fields, before] = [rows[name] ?? {}, stored.get(name)]
    if (isSame(before?.fields ?? {}, fields)) continue
    const text = isWhole(fields) ? `all ${name}` : partText(name, fields)
    await put(tx, account, { stream: name, fields, text, whole: false, since })
  }
}

/** Records that the stream was read to its end under its configured part. */
export async function settlePart(tx: Transaction, account: string, stream: Stream): Promise<void> {
  const stored = (await partsInForce(tx, account)).find((one) => one.stream === stream.name)
  if (stored !== undefined && !stored.whole) await put(tx, account, { ...stored, whole: true })
}

async function put(
  tx: Transaction,
  account: string,
  { stream, ...part }: PartInForce,
): Promise<void> {
  await storeSetting(tx, { account, reading: `${READING}${stream}` }, JSON.stringify(part))
}

function isWhole(fields: PartFields): boolean {
  return Object.keys(fields).length === 0
}

function isSame(one: PartFields, other: PartFields): boolean {
  const [left, right] = [one, other].map((fields) =>
    JSON.stringify(Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  )
  return left === right
}

const READING = 'rows of '
