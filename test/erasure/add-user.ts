import { sql } from 'kysely'
import { statingRows } from '../helpers/stated-rows.ts'
import type { World } from '../helpers/world.ts'
import { keyOf } from './stage.ts'

/** Adds a user with only these fields, stated like the rows of a sync. */
export async function addUser(
  world: World,
  user: { id: string; email: string; display_name: string },
): Promise<void> {
  const { id, email, display_name: name } = user
  const own = { warehouse: world.warehouse, key: keyOf(world), account: 'account-0' }
  await statingRows(own, async (tx) => {
    await sql`insert into svc.users (account, id, email, display_name, _raw, _hash, _first_seen_at,
      _changed_at, _run_id)
    values ('account-0', ${id}, ${email}, ${name}, ${JSON.stringify(user)}::jsonb, '\\x00',
      callsheet.clock(), callsheet.clock(), 1)`.execute(tx)
  })
}
