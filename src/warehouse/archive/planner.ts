import { sql } from 'kysely'
import type { Transaction } from '../connection/connect.ts'

// The query builder has no word for what the planner is told.

/**
 * Tables that were filled just now look empty to the planner, which would go through the one for each row of
 * the other.
 */
export async function joinWhole(tx: Transaction): Promise<void> {
  await sql`set local enable_nestloop = off`.execute(tx)
}

/** A group is small beside all that is pending, which a join as a whole would go through each time. */
export async function lookUpEach(tx: Transaction): Promise<void> {
  await sql`set local enable_hashjoin = off`.execute(tx)
  await sql`set local enable_mergejoin = off`.execute(tx)
}

/**
 * Tells the planner how many there are, after many came at once: until it knows, it goes through all that is
 * pending for the files of each parent.
 */
export async function analyzeFiles(tx: Transaction): Promise<void> {
  await sql`analyze callsheet.files`.execute(tx)
}
