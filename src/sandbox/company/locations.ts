import { hash, pick } from '../base/random.ts'
import type { Company } from './company.ts'
import type { State } from './state.ts'

type Json = Record<string, unknown>

/** A bucket of the customer's that recordings may be kept in. */
export interface Location {
  id: string
  name: string
  bucket: string
  region: string
  selected: boolean
  reached: boolean
}

export function locationIndexes(company: Company, state: State): number[] {
  const { gone, added } = state.locations
  const all = Array.from({ length: company.sizes.locations + added }, (_, index) => index)
  return all.filter((index) => !gone.has(index))
}

/** At first the first one is selected, and the fourth can no longer be reached. */
export function locationAt(company: Company, state: State, index: number): Location {
  const patch = state.locations.patches.get(index) ?? {}
  const made = index >= company.sizes.locations
  const region = patch.region ?? pick(REGIONS, hash(company.seed, 121, index))
  return {
    id: company.ids.locations.of(index),
    name: patch.name ?? `Archive ${String(index + 1)}`,
    bucket: patch.bucket ?? (index === 0 ? 'acme-archive' : `acme-archive-${String(index + 1)}`),
    region,
    selected: patch.selected ?? (index === 0 && !made),
    reached: patch.reached ?? (index !== 3 || made),
  }
}

/** What every answer tells of a location. */
export function locationItem({ id, name, bucket, region }: Location): Json {
  return {
    id,
    name,
    provider: PROVIDER,
    s3: { authentication_mechanism: MECHANISM, bucket, region },
  }
}

/** The only values that the documents know. */
export const PROVIDER = 'objstore_s3'
export const MECHANISM = 'objstore_access_key'

const REGIONS = ['eu-central-1', 'eu-west-2', 'us-east-1', 'us-west-2', 'ap-southeast-1']
