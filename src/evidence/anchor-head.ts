import { point } from '../core/kill-point.ts'
import { askStamp } from './ask-stamp.ts'
import type { Appending } from './sql/appending.ts'
import { type HeadRow, insertAnchor, readAnchors } from './sql/heads.ts'

/**
 * Has the time of the newest checkpoint confirmed, unless it already is. Its log states the time stamps of
 * before, so that it confirms them too, and they need no renewal when they end. If the service does not
 * answer, the next call asks again. Returns the problems.
 */
export async function anchorHead(
  appending: Appending,
  { checkpoint, last_seq: size }: HeadRow,
): Promise<string[]> {
  const { account, timestamp, inTransaction, warehouse } = appending
  if (timestamp === undefined || checkpoint === null) return []
  const anchors = await readAnchors(warehouse.db, account)
  if (anchors.some((one) => one.size === size && one.kind === 'rfc3161')) return []
  const asked = await askStamp(appending, timestamp, Buffer.from(checkpoint))
  if (typeof asked === 'string') return [asked]
  await point('evidence:anchoring')
  await inTransaction((tx) => insertAnchor(tx, account, { size, kind: 'rfc3161', ...asked.anchor }))
  await point('evidence:anchored')
  return asked.problems
}
