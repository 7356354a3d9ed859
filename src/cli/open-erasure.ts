import { appendEvidence } from '../engine/append-evidence.ts'
import type { ErasureDeps } from '../engine/erase/erasing.ts'
import { jobs, reports } from './catalog.ts'
import { allStreams, openEvidence } from './open-evidence.ts'
import { openStore } from './open-store.ts'
import type { OpenWarehouse } from './wire.ts'

/** What an erasure works with: the tables, the store and the key of the configuration. */
export async function openErasure(
  { wiring, warehouse }: OpenWarehouse,
  { account, signal }: { account: string; signal: AbortSignal },
): Promise<{ deps: ErasureDeps; close(): Promise<void> }> {
  const { config, clock, observer } = wiring
  const store = await openStore({ config, clock }, account)
  const deps: ErasureDeps = {
    warehouse,
    clock,
    observer,
    store,
    streams: allStreams(),
    reports: { directory: config.reports.directory, names: reports.map(({ name }) => name) },
    files: jobs.flatMap(({ archive }) => (archive === undefined ? [] : [archive])),
    async sign(lease) {
      const evidence = openEvidence({ config, clock })
      await appendEvidence(
        { warehouse, clock, observer },
        { ...evidence, account, lease, signal, store },
      )
    },
  }
  return { deps, close: () => store.close() }
}
