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

/** The part of a stream that its table has, or has in part since the setting changed. */
interface StoredPart {
  /** Empty if the account keeps all records again. */
  fields: PartFields
  /** As in `partText`; for the views of `report`. */
  text: string
  /** Whether the list was read to its end under this part. */
  whole: boolean
  /** When the part was configured; before, the table had another one. */
  since: string
}

export interface PartInForce extends StoredPart {
  stream: string
}

/** Returns the parts that the account's tables have, and those that are not read to the end yet. */
export async function partsInForce(db: Transaction, account: string): Promise<PartInForce[]> {
  const rows = await db
    .selectFrom('callsheet.found_readings')
    .select(['reading', 'variant'])
    .where('account', '=', account)
    .where('reading', 'like', `${READING}%`)
    .orderBy('reading')
    .execute()
  return rows.map(({ reading, variant }) => {
    return { stream: reading.slice(READING.length), ...(JSON.parse(variant) as StoredPart) }
  })
}

/** The part that decides about the rows of a stream: its own, or that of the stream that it follows. */
export function partOfStream(
  parts: readonly PartInForce[],
  stream: Stream,
): PartInForce | undefined {
  const { name } = decidingStream(stream)
  return parts.find((one) => one.stream === name)
}

/** The part of the account that a table has, in words. */
export interface PartKept {
  text: string
  /** Whether the list was read to its end since the part was configured. */
  read: boolean
}

/** The part that a table had at a moment; undefined if it had all records. */
export function partKept(part: PartInForce | undefined, atMs: number): PartKept | undefined {
  if (part === undefined) return undefined
  const { fields, text, whole: read, since } = part
  const sinceMs = Date.parse(since)
  if (atMs < sinceMs) return { text: `${text} since ${iso(sinceMs)}, others before`, read }
  return isWhole(fields) && read ? undefined : { text, read }
}

/** Whether a stream was not read to its end under its configured part. */
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
 * Records the configured parts of these streams. A changed part is not whole until its list is read to the
 * end under it: from now on the table may have rows of both.
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
  const variant = JSON.stringify(part)
  await tx
    .insertInto('callsheet.found_readings')
    .values({ account, reading: `${READING}${stream}`, variant })
    .onConflict((conflict) => conflict.columns(['account', 'reading']).doUpdateSet({ variant }))
    .execute()
}

/** Whether all records are kept. */
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
