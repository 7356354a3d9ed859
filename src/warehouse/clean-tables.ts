import { sql } from 'kysely'
import type { Stream } from '../core/stream.ts'
import type { Warehouse } from './connect.ts'

/**
 * Clears away dead rows, and samples of values that the planner's statistics keep, of all tables that may
 * have held a person's data. The database skips what the role may not clean.
 */
export async function cleanTables(
  { withClient }: Pick<Warehouse, 'withClient'>,
  streams: readonly Stream[],
): Promise<void> {
  await withClient(async (client, db) => {
    for (const [schema, name] of tablesOf(streams))
      await sql`vacuum (analyze) ${sql.id(schema, name)}`.execute(db)
    return client
  })
}

function tablesOf(streams: readonly Stream[]): [string, string][] {
  return [
    ...streams.flatMap(({ name }): [string, string][] => [
      ['svc', name],
      ['history', name],
    ]),
    ...OURS.map((name): [string, string] => ['callsheet', name]),
  ]
}

const OURS = ['quarantine', 'drift', 'suspects', 'slices', 'calls', 'notifications', 'event_states']
