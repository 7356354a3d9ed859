import type { StreamTruth } from '../protocol/stream-truth.ts'
import { LOCATIONS } from './storage-locations.ts'

/** The truths of the list and of the detail, which shows whether the location is reachable. */
export const STORAGE_TRUTHS: Readonly<Record<string, StreamTruth>> = {
  storage_locations: {
    kind: LOCATIONS.kind,
    key: ['id'],
    rows: (seedData, state, { index }) => {
      const { id, name, bucket, region, selected } = LOCATIONS.at(seedData, state, index)
      const s3 = { authentication_mechanism: 'objstore_access_key', bucket, region }
      return [{ id, name, provider: 'objstore_s3', ...s3, selected }]
    },
  },
  storage_location_details: {
    kind: LOCATIONS.kind,
    key: ['id'],
    rows: (seedData, state, { index }) => {
      const { id, reached } = LOCATIONS.at(seedData, state, index)
      return [{ id, verify_status: reached ? 'success' : 'failure' }]
    },
    beside: (seedData, state, index) => {
      const { name, bucket, region } = LOCATIONS.at(seedData, state, index)
      return [name, bucket, region]
    },
  },
}
