import type { Client } from 'pg'
import type { Stream } from '../../src/core/define/stream.ts'

/** A row that a transaction wrote, as the triggers on the tables noted it down. */
export interface Touched {
  stream: string
  key: string[]
  fenced: boolean
}

export interface Watched {
  monitor: Client
  account: string
}

/** What was noted and committed since the last call, by stream. */
export async function takeTouched({ monitor, account }: Watched): Promise<Map<string, Touched[]>> {
  const { rows } = await monitor.query<Touched>(
    'delete from sim.touched where account = $1 returning stream, key, fenced',
    [account],
  )
  return Map.groupBy(rows, ({ stream }) => stream)
}

/** These rows as they are stored now, each once, and whether they are called gone. */
export async function storedRows(
  { monitor, account }: Watched,
  stream: Stream,
  touched: readonly Touched[],
): Promise<Record<string, unknown>[]> {
  const key = stream.key.map((name, at) => `t."${name}"::text = k.k${at}`).join(' and ')
  const names = Object.keys(stream.columns).map((name) => `t."${name}"`)
  const keys = stream.key.map((_, at) => touched.map((row) => row.key[at] ?? ''))
  const arrays = keys.map((_, at) => `$${at + 2}::text[]`).join(', ')
  const { rows } = await monitor.query<Record<string, unknown>>(
    `select ${names.join(', ')}, t._deleted_at is not null as is_gone from svc."${stream.name}" t
     join (select distinct * from unnest(${arrays}) as u(${keys.map((_, at) => `k${at}`).join(', ')})) k
       on ${key} where t.account = $1`,
    [account, ...keys],
  )
  return rows
}
