import { sql } from 'kysely'
import type { Transaction } from '../../warehouse/connect.ts'
import { givenRows } from '../../warehouse/given-rows.ts'

export interface TilePlace {
  level: number
  tile: number
}

/** Consecutive hashes in a tile of the tree over an account's entries. */
export interface TilePartRow extends TilePlace {
  start: number
  hashes: Buffer
}

/** The hashes of each tile, joined from the tile's parts; null for a tile without parts. */
export async function readTiles(
  tx: Transaction,
  account: string,
  places: readonly TilePlace[],
): Promise<(TilePlace & { hashes: Buffer | null })[]> {
  return await tx
    .selectFrom(given(places))
    .select(({ selectFrom }) => [
      'p.level',
      'p.tile',
      selectFrom('callsheet.tree_tiles as t')
        .select(({ fn }) =>
          fn
            .agg<Buffer | null>('string_agg', ['t.hashes', sql`''::bytea`])
            .orderBy('t.start')
            .as('hashes'),
        )
        .where('t.account', '=', account)
        .whereRef('t.level', '=', 'p.level')
        .whereRef('t.tile', '=', 'p.tile')
        .as('hashes'),
    ])
    .execute()
}

/** For each place, the next existing tile of the same level, if any. */
export async function tilesAfter(
  tx: Transaction,
  account: string,
  places: readonly TilePlace[],
): Promise<TilePlace[]> {
  return await tx
    .selectFrom(given(places))
    .innerJoinLateral(
      ({ selectFrom }) =>
        selectFrom('callsheet.tree_tiles as t')
          .select('t.tile')
          .where('t.account', '=', account)
          .whereRef('t.level', '=', 'p.level')
          .whereRef('t.tile', '>', 'p.tile')
          .orderBy('t.tile')
          .limit(1)
          .as('after'),
      (join) => join.onTrue(),
    )
    .select(['p.level', 'after.tile'])
    .execute()
}

export async function insertTileParts(
  tx: Transaction,
  account: string,
  parts: readonly TilePartRow[],
): Promise<void> {
  for (let at = 0; at < parts.length; at += PARTS_AT_ONCE)
    await tx
      .insertInto('callsheet.tree_tiles')
      .values(parts.slice(at, at + PARTS_AT_ONCE).map((part) => ({ account, ...part })))
      .execute()
}

function given(places: readonly TilePlace[]) {
  return givenRows('p', places, { level: 'bigint', tile: 'bigint' })
}

const PARTS_AT_ONCE = 200
