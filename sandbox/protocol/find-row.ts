import { rowCount, type SeedData, type SeedDataIds } from '../seed-data/seed-data.ts'
import { type Kind, overlayOf, type SeedState } from '../seed-data/state.ts'
import type { SandboxCall } from './call.ts'
import { type Listing, rangeListing } from './listing.ts'

/** Returns the index of the row with an ID, if it exists. */
export function findRow(
  { seedData }: SandboxCall,
  kind: Kind & keyof SeedDataIds,
  id: string | undefined,
): number | undefined {
  const index = seedData.ids[kind]?.indexOf(id ?? '')
  return index !== undefined && isThere(seedData, seedData.state, { kind, index })
    ? index
    : undefined
}

export function isThere(
  seedData: SeedData,
  state: SeedState,
  { kind, index }: { kind: Kind; index: number },
): boolean {
  return index < rowCount(seedData, state, kind) && !overlayOf(state, kind).gone.has(index)
}

/** Lists the existing rows by ascending index. */
export function rowsOf(seedData: SeedData, state: SeedState, kind: Kind): Listing {
  const until = rowCount(seedData, state, kind)
  return rangeListing({ from: 0, until, without: [...overlayOf(state, kind).gone] })
}
