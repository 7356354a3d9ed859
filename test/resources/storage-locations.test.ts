import { expect, it } from 'vitest'
import { FingerprintTable } from '../../src/core/records/fingerprint-table.ts'
import type { Batch } from '../../src/core/records/row-batch.ts'
import { ShownKeys } from '../../src/core/records/row-index.ts'
import { storageLocations } from '../../src/resources/storage-locations.ts'
import { planStream } from '../../src/sync/plan/plan-stream.ts'
import { applyPage } from '../../src/sync/read/apply-page.ts'
import { noPageCounts } from '../../src/sync/run/slice-reading.ts'
import { NOBODY } from '../helpers/nobody.ts'
import { recognised } from '../sync/read/recognised.ts'

it('storage locations are planned as one slice, and a page becomes rows', () => {
  const facts = { nowMs: 0, chainRunId: 1, histories: new Map(), full: false }
  const [group] = planStream(storageLocations, facts)
  expect(group?.slices.map(({ request }) => request.slice)).toEqual(['all'])
  const s3 = { bucket: 'vault', region: 'eu-west-2', access_key: { id: 'AK', key: 'hush' } }
  const records = [{ id: 'loc-1', name: 'Vault', provider: 'objstore_s3', s3 }, { name: 'None' }]
  const batch: Batch = { fresh: [], known: [], quarantined: [], findings: [] }
  const slice = group!.slices[0]!
  const table = new FingerprintTable()
  const against = { stream: storageLocations, table, beside: [], slice }
  const recognisedPage = recognised(against, JSON.stringify(records))
  const shown = new ShownKeys()
  const pageContext = {
    stream: storageLocations,
    slice,
    alone: true,
    unread: [],
    nestedStreams: [],
    table,
    batch,
    before: noPageCounts(),
    shown,
    nameless: new ShownKeys(),
    said: new Set<string>(),
    beside: { keys: new ShownKeys(), idle: false },
    contents: new Map(),
    apart: new ShownKeys(),
    sequence: 1,
  }
  applyPage({ ...pageContext, suppression: NOBODY }, recognisedPage)
  expect(batch.fresh.map(({ values }) => values)).toEqual([
    ['loc-1', 'Vault', 'objstore_s3', null, 'vault', 'eu-west-2', null],
  ])
  expect(batch.fresh[0]?.raw).not.toContain('hush')
  expect(batch.quarantined.map(({ reason }) => reason)).toEqual(['key field id is missing'])
})
