import { sql } from 'kysely'
import { CallsheetError } from '../../../src/core/errors.ts'
import { connect } from '../../../src/warehouse/connect.ts'

/** What a client believes of its own commits. */
export interface AckedWrites {
  acked: Set<number>
  /** The answer to their commit was lost: they may be there or not. */
  ambiguous: Set<number>
  stop(): Promise<void>
}

/**
 * Commits numbers, one a transaction, as fast as it goes, and notes which it believes committed; goes on
 * after each crash. The table that they go to is made first.
 */
export async function writeAndNote(url: string, writers: number): Promise<AckedWrites> {
  const warehouse = connect({ url, poolSize: writers })
  await sql`create table public.acked (n integer primary key)`.execute(warehouse.db)
  const acked = new Set<number>()
  const ambiguous = new Set<number>()
  let next = 0
  let stopped = false
  const write = async (): Promise<void> => {
    while (!stopped) {
      const n = next++
      try {
        await warehouse.transaction((tx) => sql`insert into public.acked values (${n})`.execute(tx))
        acked.add(n)
      } catch (error) {
        if (!(error instanceof CallsheetError)) throw error
        if (error.code === 'commit_unknown') ambiguous.add(n)
        // Nobody listens while the server is down; asking a thousand times a second would only heat the room.
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
  }
  const running = Promise.all(Array.from({ length: writers }, write))
  running.catch(() => {})
  return {
    acked,
    ambiguous,
    async stop() {
      stopped = true
      await running
      await warehouse.close()
    },
  }
}

/** What was acknowledged and is not there: to be asked at any time. */
export async function lostWrites(url: string, { acked }: AckedWrites): Promise<string[]> {
  const before = [...acked]
  const there = await numbersAt(url)
  return before
    .filter((n) => !there.has(n))
    .map((n) => `commit ${n} was acknowledged and is not there`)
}

/** What is there although its transaction failed: to be asked when nothing is under way any more. */
export async function phantomWrites(url: string, writes: AckedWrites): Promise<string[]> {
  return [...(await numbersAt(url))]
    .filter((n) => !writes.acked.has(n) && !writes.ambiguous.has(n))
    .map((n) => `commit ${n} failed and is there`)
}

async function numbersAt(url: string): Promise<Set<number>> {
  const warehouse = connect({ url, poolSize: 1 })
  try {
    const { rows } = await sql<{ n: number }>`select n from public.acked`.execute(warehouse.db)
    return new Set(rows.map(({ n }) => n))
  } finally {
    await warehouse.close()
  }
}
