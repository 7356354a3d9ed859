import { z } from 'zod'
import type { Op } from '../protocol/apply-ops.ts'
import { readBody } from '../protocol/body.ts'
import type { Answering, SandboxCall } from '../protocol/call.ts'
import { badParameter, refuse } from '../protocol/refusal.ts'
import * as locations from './storage-locations.ts'

const INVALID = 400
const { kind } = locations.LOCATIONS
const common: Omit<Answering, 'answer'> = {
  parameters: [],
  parameterCode: INVALID,
  scopes: [],
  granularScopes: [],
  needs: ['commercialCluster', 'beta', 'videoSessions', 'customerStorage'],
}

export const storageAnswers: Readonly<Record<string, Answering>> = {
  'storage_settings.update': { ...common, status: 204, answer: updateSettings },
  'storage_locations.list': { ...common, answer: listLocations },
  'storage_locations.create': { ...common, status: 201, answer: createLocation },
  'storage_locations.get': { ...common, answer: getLocation },
  'storage_locations.delete': { ...common, status: 204, answer: deleteLocation },
  'storage_locations.update': { ...common, status: 204, answer: updateLocation },
}

/**
 * Updates the settings. Switching them off deletes all locations; switching them on selects the named
 * location, or leaves the selection unchanged.
 */
function updateSettings(call: SandboxCall): undefined {
  const { seedData } = call
  const asked = readBody(call, z.strictObject(SETTINGS), INVALID)
  const there = locations.locationIndexes(seedData, seedData.state)
  if (!asked.bring_our_own_storage) {
    call.change(there.map((index) => ({ kind, action: 'remove', index })))
    return
  }
  if (there.length === 0) throw notEnabled()
  const selected = there.find((index) => locationAt(call, index).selected)
  if (asked.storage_location_id === undefined) {
    if (selected === undefined) throw badParameter('storage_location_id', 'is required', INVALID)
    return
  }
  const wanted = rowOf(call, asked.storage_location_id)
  if (wanted === selected)
    throw badParameter('storage_location_id', 'is the selected one already', INVALID)
  if (!locationAt(call, wanted).reached) throw unreachable()
  call.change([
    change(wanted, { selected: true }),
    ...(selected === undefined ? [] : [change(selected, { selected: false })]),
  ])
}

/** Lists locations; the documented response has no envelope. */
function listLocations(call: SandboxCall): object {
  const { seedData } = call
  const there = locations.locationIndexes(seedData, seedData.state)
  if (there.length === 0) throw notEnabled()
  return there.map((index) => {
    const location = locationAt(call, index)
    return { ...locations.locationItem(location), selected: location.selected }
  })
}

/** Creates a location. It is not selected: that requires a change of the settings. */
function createLocation(call: SandboxCall): object {
  const { name, s3 } = readBody(call, NEW_LOCATION, INVALID)
  if (!answers(s3.bucket, s3.access_key)) throw unreachable()
  const { bucket, region } = s3
  const patch = { name, bucket, region, selected: false, reached: true }
  const [touched] = call.change([{ kind, action: 'add', patch }])
  return locations.locationItem(locationAt(call, touched?.index ?? 0))
}

function getLocation(call: SandboxCall): object {
  const location = locationAt(call, locationOf(call))
  const verify_status = location.reached ? 'success' : 'failure'
  return { ...locations.locationItem(location), verify_status }
}

function deleteLocation(call: SandboxCall): undefined {
  const index = locationOf(call)
  if (locationAt(call, index).selected)
    throw refuse(405, 3312, 'The storage location is in use and cannot be deleted.')
  call.change([{ kind, action: 'remove', index }])
}

/**
 * Updates a location. A new access key is tried at once. If it opens the bucket, the location counts as
 * verified; otherwise nothing changes.
 */
function updateLocation(call: SandboxCall): undefined {
  const index = locationOf(call)
  const { name, s3 = {} } = readBody(call, CHANGED_LOCATION, INVALID)
  const { bucket, region } = locationAt(call, index)
  for (const [field, now] of Object.entries({ bucket, region } as const)) {
    const asked = s3[field as 'bucket' | 'region']
    if (asked !== undefined && asked !== now)
      throw badParameter(`s3.${field}`, 'cannot be changed', INVALID)
  }
  const { access_key } = s3
  if (access_key !== undefined && !answers(bucket, access_key)) throw unreachable()
  const patch: Partial<locations.Location> = {
    ...(name === undefined ? {} : { name }),
    ...(access_key === undefined ? {} : { reached: true }),
  }
  call.change([change(index, patch)])
}

function locationOf(call: SandboxCall): number {
  const { seedData, path } = call
  if (locations.locationIndexes(seedData, seedData.state).length === 0) throw notEnabled()
  return rowOf(call, path.storageLocationId ?? '')
}

function rowOf({ seedData }: SandboxCall, id: string): number {
  const index = seedData.ids[kind]?.indexOf(id)
  const there = locations.locationIndexes(seedData, seedData.state)
  if (index === undefined || !there.includes(index))
    throw refuse(404, 3310, 'The storage location does not exist.')
  return index
}

function locationAt({ seedData }: SandboxCall, index: number): locations.Location {
  return locations.LOCATIONS.at(seedData, seedData.state, index)
}

function change(index: number, patch: Partial<locations.Location>): Op {
  return { kind, action: 'change', index, patch }
}

/** Whether a bucket responds, decided by its name or key, because no real bucket is contacted. */
function answers(bucket: string, key: { id: string }): boolean {
  return ![bucket, key.id].some((text) => text.includes('unreachable'))
}

function unreachable(): Error {
  return refuse(400, 3313, 'Cannot connect to the storage location.')
}

function notEnabled(): Error {
  return refuse(403, 3336, 'Customer storage is not enabled. Create a location first.')
}

const SETTINGS = {
  bring_our_own_storage: z.boolean(),
  storage_location_id: z.string().min(1).optional(),
}
const S3 = z.strictObject({
  access_key: z.strictObject({ id: z.string().min(1), key: z.string().min(1) }),
  authentication_mechanism: z.literal(locations.MECHANISM),
  bucket: z.string().min(1),
  region: z.string().min(1),
})
const NEW_LOCATION = z.strictObject({
  name: z.string().min(1),
  provider: z.literal(locations.PROVIDER),
  s3: S3,
})
const CHANGED_LOCATION = NEW_LOCATION.extend({ s3: S3.partial() }).partial()
