import type { Client } from 'pg'
import type { Stream } from '../../src/core/define/stream.ts'

export interface Slipping {
  monitor: Client
  account: string
  /** When the service last changed a row, by its stream and key. */
  changedMs(stream: Stream, row: Record<string, unknown>): number
}

/**
 * Whether a row is of a parent that changed since, and slipped by the lists that were read meanwhile: of what
 * nobody knows nobody can ask.
 */
export async function parentSlipped(
  slipping: Slipping,
  { key, sync }: Stream,
  { row, sinceMs }: { row: Record<string, unknown>; sinceMs: number },
): Promise<boolean> {
  if (sync.kind !== 'fan-out' && sync.kind !== 'nested') return false
  const { parent } = sync
  const named = Object.fromEntries(parent.key.map((name, at) => [name, row[key[at] ?? '']]))
  if (await isHeld(slipping, parent, named)) return false
  if (slipping.changedMs(parent, named) >= sinceMs) return true
  return await parentSlipped(slipping, parent, { row: named, sinceMs })
}

async function isHeld(
  { monitor, account }: Slipping,
  { name, key }: Stream,
  row: Record<string, unknown>,
): Promise<boolean> {
  const same = key.map((column, at) => `"${column}"::text = $${at + 2}`).join(' and ')
  const { rowCount } = await monitor.query(
    `select from svc."${name}" where account = $1 and _deleted_at is null and ${same}`,
    [account, ...key.map((column) => String(row[column]))],
  )
  return rowCount !== 0
}
