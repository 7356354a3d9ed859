import { CallsheetError } from '../../core/errors/errors.ts'
import { point } from '../../core/kill-point.ts'
import { type HeadRow, insertAnchor, readAnchors } from '../../warehouse/evidence/heads.ts'
import type { Appending } from './appending.ts'

/**
 * Has the time of the newest head confirmed, unless it already is. This covers all earlier heads, since each
 * head names the one before. If the service does not answer, the next call asks again. Returns the problems.
 */
export async function anchorHead(appending: Appending, head: HeadRow): Promise<string[]> {
  const { account, timestamp, signal, inTransaction, warehouse } = appending
  if (timestamp === undefined) return []
  const anchors = await readAnchors(warehouse.db, account)
  if (anchors.some(({ number, kind }) => number === head.number && kind === 'rfc3161')) return []
  try {
    const token = await timestamp.request(head.hash, signal)
    const { number } = head
    const { place } = timestamp
    await point('evidence:anchoring')
    await inTransaction((tx) =>
      insertAnchor(tx, account, { number, kind: 'rfc3161', place, token }),
    )
    await point('evidence:anchored')
    return []
  } catch (error) {
    const passing = error instanceof CallsheetError && error.code.startsWith('timestamp')
    if (!passing) throw error
    return [error.message]
  }
}
