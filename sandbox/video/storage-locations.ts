import { hash, pick } from '../base/random.ts'
import { defineRows } from '../protocol/sandbox-list.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import type { SeedState } from '../seed-data/state.ts'

type Json = Record<string, unknown>

/**
 * The customer's buckets for recordings. Initially the first one is selected, and the fourth is unreachable.
 */
export const LOCATIONS = defineRows({
  kind: 'list:storage_locations',
  count: 9,
  prefix: 'loc',
  first: (seedData, index) => ({
    name: `Archive ${String(index + 1)}`,
    bucket: index === 0 ? 'acme-archive' : `acme-archive-${String(index + 1)}`,
    region: pick(REGIONS, hash(seedData.seed, 121, index)),
    selected: index === 0,
    // Whether the service could connect with the last credentials, which are not stored.
    reached: index !== 3,
  }),
})

export type Location = ReturnType<typeof LOCATIONS.at>

export function locationIndexes(seedData: SeedData, state: SeedState): number[] {
  const listing = LOCATIONS.listing(seedData, state)
  return Array.from({ length: listing.length }, (_, at) => listing.at(at))
}

/** Returns the fields of a location that every response contains. */
export function locationItem({ id, name, bucket, region }: Location): Json {
  return {
    id,
    name,
    provider: PROVIDER,
    s3: { authentication_mechanism: MECHANISM, bucket, region },
  }
}

/** The only documented provider. */
export const PROVIDER = 'objstore_s3'
export const MECHANISM = 'objstore_access_key'

const REGIONS = ['eu-central-1', 'eu-west-2', 'us-east-1', 'us-west-2', 'ap-southeast-1']
