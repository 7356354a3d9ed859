import type { Client } from 'pg'

/** The streams of which records were set aside: what is missing of their tables may be one of these. */
export async function streamsSetAside(monitor: Client, account: string): Promise<Set<string>> {
  const { rows } = await monitor.query<{ stream: string }>(
    'select distinct stream from callsheet.quarantine where account = $1',
    [account],
  )
  return new Set(rows.map(({ stream }) => stream))
}

/** The streams of which rows wait for a second reading before they are called deleted. */
export async function streamsWaiting(monitor: Client, account: string): Promise<Set<string>> {
  const { rows } = await monitor.query<{ stream: string }>(
    'select distinct stream from callsheet.deletion_candidates where account = $1',
    [account],
  )
  return new Set(rows.map(({ stream }) => stream))
}
