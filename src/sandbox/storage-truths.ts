import { locationAt } from './locations.ts'
import type { StreamTruth } from './stream-truth.ts'

/** Without what only the detail tells, whether the location can be reached. */
export const STORAGE_TRUTHS: Readonly<Record<string, StreamTruth>> = {
  storage_locations: {
    kind: 'locations',
    key: ['id'],
    rows: (company, state, { index }) => {
      const { id, name, bucket, region, selected } = locationAt(company, state, index)
      const s3 = { authentication_mechanism: 'objstore_access_key', bucket, region }
      return [{ id, name, provider: 'objstore_s3', ...s3, selected }]
    },
  },
}
