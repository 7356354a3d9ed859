import { z } from 'zod'
import { boolean, oneOf, text } from '../core/define/column.ts'
import { defineOperation } from '../core/define/define-operation.ts'
import { defineStream } from '../core/define/define-stream.ts'
import type { WireRecord } from '../core/values/json.ts'
import { videoErrors } from './service-errors.ts'

const all = '/videosdk/settings/storage/location'
const one = `${all}/{storageLocationId}`
const common = {
  scopes: [],
  granularScopes: [],
  rate: 'LIGHT',
  bearer: 'jwt',
  query: z.object({}),
  beta: true,
  unavailableIn: ['government'],
} as const

/** By the documents, no answer shows the access key. */
const accessKey = z.strictObject({ id: z.string().min(1), key: z.string().min(1) })
const s3 = {
  access_key: accessKey,
  authentication_mechanism: z.literal('objstore_access_key'),
  bucket: z.string().min(1),
  region: z.string().min(1),
}
const provider = z.literal('objstore_s3')
const location = z.looseObject({ id: z.string() })

/** Turning customer storage off deletes the details of all storage locations from the service. */
export const updateStorageSettings = defineOperation({
  ...common,
  id: 'storage_settings.update',
  summary: 'Keep recordings in storage of one’s own, or not',
  method: 'PATCH',
  path: '/videosdk/settings/storage',
  body: z.strictObject({
    bring_our_own_storage: z.boolean(),
    storage_location_id: z.string().min(1).optional(),
  }),
  success: { status: 204 },
  errors: videoErrors(
    'storageInvalid',
    'locationMissing',
    'locationUnreachable',
    'storageUnsupported',
    'storageOff',
  ),
  response: z.unknown(),
})

export const listStorageLocations = defineOperation({
  ...common,
  id: 'storage_locations.list',
  summary: 'List the storage locations',
  method: 'GET',
  path: all,
  errors: videoErrors('storageInvalid', 'storageUnsupported', 'storageOff'),
  response: z.array(z.unknown()),
  paging: { style: 'whole' },
})

export const createStorageLocation = defineOperation({
  ...common,
  id: 'storage_locations.create',
  summary: 'Create a storage location',
  method: 'POST',
  path: all,
  body: z.strictObject({ name: z.string().min(1), provider, s3: z.strictObject(s3) }),
  success: { status: 201 },
  errors: videoErrors('storageInvalid', 'locationUnreachable', 'storageUnsupported'),
  response: location,
})

export const getStorageLocation = defineOperation({
  ...common,
  id: 'storage_locations.get',
  summary: 'Read one storage location, and whether the service reaches it',
  method: 'GET',
  path: one,
  errors: videoErrors('storageInvalid', 'locationMissing', 'storageUnsupported', 'storageOff'),
  response: location,
  names: { storageLocationId: ['id'] },
  paging: { style: 'record' },
  deleted: [{ status: 404, code: '3310' }],
})

export const deleteStorageLocation = defineOperation({
  ...common,
  id: 'storage_locations.delete',
  summary: 'Delete a storage location that is not in use',
  method: 'DELETE',
  path: one,
  success: { status: 204 },
  errors: videoErrors(
    'storageInvalid',
    'locationMissing',
    'locationInUse',
    'storageUnsupported',
    'storageOff',
  ),
  response: z.unknown(),
})

/** Bucket and region cannot change: the service refuses other values. */
export const updateStorageLocation = defineOperation({
  ...common,
  id: 'storage_locations.update',
  summary: 'Change the name or the access key of a storage location',
  method: 'PATCH',
  path: one,
  body: z
    .strictObject({ name: z.string().min(1), provider, s3: z.strictObject(s3).partial() })
    .partial()
    .refine((changes) => Object.keys(changes).length > 0, 'at least one field to change'),
  success: { status: 204 },
  errors: videoErrors(
    'storageInvalid',
    'locationMissing',
    'locationUnreachable',
    'storageUnsupported',
    'storageOff',
  ),
  response: z.unknown(),
})

export const storageLocations = defineStream({
  name: 'storage_locations',
  about: "One place of the customer's own where recordings may be stored.",
  operation: listStorageLocations,
  columns: {
    id: text('ID of the storage location.'),
    name: text('Name of the storage location.'),
    provider: oneOf('Provider of the storage.', ['objstore_s3']),
    authentication_mechanism: oneOf('How the service proves to the storage who it is.', [
      'objstore_access_key',
    ]),
    bucket: text('Bucket in the storage; it never changes.'),
    region: text('Region of the bucket; it never changes.'),
    selected: boolean('Whether this location is the one in use.'),
  },
  key: ['id'],
  expected: ['selected'],
  also: ['s3'],
  personal: [],
  // By the documents, no answer shows the access key. If one does, the key is not stored.
  transient: ['access_key'],
  volatile: [],
  sync: {
    kind: 'snapshot',
    requests: () => [{ slice: 'all', arguments: { query: {} }, filter: {} }],
  },
  deletions: {
    by: 'detail',
    operation: getStorageLocation,
    path: (row) => ({ storageLocationId: row.id ?? '' }),
  },
  derive: ({ s3: place }) => {
    const { authentication_mechanism, bucket, region } = (place ?? {}) as WireRecord
    return { authentication_mechanism, bucket, region }
  },
})

/**
 * Only the detail shows whether the service can reach a location. The list does not show when that changes,
 * so each location is read every night; an account has few of them.
 */
export const storageLocationDetails = defineStream({
  name: 'storage_location_details',
  about: 'Whether the service can reach one storage location.',
  operation: getStorageLocation,
  columns: {
    id: text('ID of the storage location, from storage_locations.id.'),
    verify_status: oneOf('Whether the service can reach the location: success or failure.', [
      'success',
      'failure',
    ]),
  },
  key: ['id'],
  expected: ['verify_status'],
  also: ['name', 'provider', 's3'],
  personal: [],
  transient: ['access_key'],
  volatile: [],
  sync: {
    kind: 'fan-out',
    parent: storageLocations,
    order: 'name',
    request: ([id = '']) => ({
      slice: `location=${id}`,
      arguments: { path: { storageLocationId: id } },
      filter: {},
    }),
    again: { versions: ['_hash'], maxAgeDays: 1 },
  },
  deletions: { by: 'parent' },
  derive: (_record, { parent }) => ({ id: parent?.key[0] }),
})
