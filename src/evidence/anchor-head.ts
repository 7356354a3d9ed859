import { point } from '../core/kill-point.ts'
import { askStamp } from './ask-stamp.ts'
import { renewStamps } from './renew-stamps.ts'
import type { Appending } from './sql/appending.ts'
import { type HeadRow, insertAnchor, readAnchors } from './sql/heads.ts'

/**
 * Has the time of the newest head confirmed, unless it already is, and time stamps renewed that end soon. A
 * head covers all earlier ones, since each names the one before. If the service does not answer, the next
 * call asks again. Returns the problems.
 */
export async function anchorHead(appending: Appending, head: HeadRow): Promise<string[]> {
  const { account, timestamp, inTransaction, warehouse } = appending
  const anchors = await readAnchors(warehouse.db, account)
  const problems = await renewStamps(appending, anchors)
  if (timestamp === undefined) return problems
  if (anchors.some(({ number, kind }) => number === head.number && kind === 'rfc3161'))
    return problems
  const asked = await askStamp(appending, timestamp, Buffer.from(head.line))
  if (typeof asked === 'string') return [...problems, asked]
  await point('evidence:anchoring')
  await inTransaction((tx) =>
    insertAnchor(tx, account, { number: head.number, kind: 'rfc3161', ...asked.anchor }),
  )
  await point('evidence:anchored')
  return [...problems, ...asked.problems]
}
