import { sql } from 'kysely'
import type { Transaction } from '../../warehouse/connect.ts'

// The query builder cannot express planner settings.

/**
 * Forbids nested loops. The planner takes tables that were just filled for empty, and would scan one of them
 * for each row of the other.
 */
export async function joinWhole(tx: Transaction): Promise<void> {
  await sql`set local enable_nestloop = off`.execute(tx)
}

/** Forbids joins that read a whole table. A group is small, and such a join would read all pending files. */
export async function lookUpEach(tx: Transaction): Promise<void> {
  await sql`set local enable_hashjoin = off`.execute(tx)
  await sql`set local enable_mergejoin = off`.execute(tx)
}

/**
 * Updates the planner's statistics after many files were added. Without that it reads all pending files for
 * each parent.
 */
export async function analyzeFiles(tx: Transaction): Promise<void> {
  await sql`analyze callsheet.files`.execute(tx)
}
