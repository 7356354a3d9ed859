import { ofAccount } from '../core/define/observer.ts'
import type { ErasureDeps } from '../erasure/erasing.ts'
import { appendEvidence } from '../evidence/append-evidence.ts'
import { jobs, reports, streams } from './catalog.ts'
import { openStore } from './choose-store.ts'
import { openEvidence } from './open-evidence.ts'
import { openPrinter } from './open-printer.ts'
import { openSealing } from './open-sealing.ts'
import { requestSecrets } from './request-secrets.ts'
import type { OpenWarehouse } from './wire.ts'

/**
 * Returns what an erasure needs. An erasure searches a whole table in one statement, which can take longer
 * than a sync's timeout permits.
 */
export async function openErasure(
  { wiring, warehouse: usual }: OpenWarehouse,
  { account, signal }: { account: string; signal: AbortSignal },
): Promise<{ deps: ErasureDeps; close(): Promise<void> }> {
  const { config, clock } = wiring
  const observer = ofAccount(wiring.observer, account)
  const store = await openStore({ config, clock }, account)
  const warehouse = usual.withPatience(STATEMENT_MS)
  const deps: ErasureDeps = {
    warehouse,
    clock,
    observer,
    store,
    streams,
    reports: {
      all: reports,
      directory: config.reports.directory,
      settings: config.reports.settings,
      owners: config.reports.owners,
      jobs,
      timeZone: config.timezone,
      printer: openPrinter(wiring, signal),
    },
    key: () => openEvidence({ config, clock }).key,
    previousKeys: config.evidence.previousKeys,
    sealing: (name) => openSealing(config, name),
    secrets: requestSecrets(config, account),
    files: jobs.flatMap(({ archive }) => (archive === undefined ? [] : [archive])),
    async sign(lease) {
      const evidence = openEvidence({ config, clock })
      await appendEvidence(
        { warehouse, clock, observer },
        { ...evidence, account, lease, signal, store },
      )
    },
  }
  const close = async (): Promise<void> => {
    try {
      await store.close()
    } finally {
      await warehouse.close()
    }
  }
  return { deps, close }
}

const STATEMENT_MS = 6 * 3_600_000
