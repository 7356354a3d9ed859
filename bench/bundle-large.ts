import { exportAudit } from '../src/audit/bundle/export-audit.ts'
import { verifyBundle } from '../src/audit/bundle/verify-bundle.ts'
import { silentObserver } from '../src/core/define/observer.ts'
import { systemClock as clock } from '../src/core/time/clock.ts'
import { appendEvidence } from '../src/evidence/append-evidence.ts'
import { readSigningKey } from '../src/evidence/log/signing-key.ts'
import {
  whiteboardActivities,
  whiteboardParticipants,
  whiteboardSessions,
} from '../src/resources/whiteboard-archives.ts'
import { createDirectoryStore } from '../src/store/directory-store.ts'
import { connect } from '../src/warehouse/connect.ts'
import { acquireLease } from '../src/warehouse/ledger/lease.ts'
import { serveOrder } from './child.ts'
import { type Spent, spend } from './spent.ts'

export type LargeOrder =
  | { step: 'sign' | 'export'; databaseUrl: string; directory: string; pem: string; path: string }
  | { step: 'verify'; path: string }

const streams = [whiteboardSessions, whiteboardParticipants, whiteboardActivities]
const { signal } = new AbortController()

/** Signs what there is, exports all of it, or verifies the bundle: each in a process of its own. */
async function run(order: LargeOrder): Promise<Spent> {
  if (order.step === 'verify') return await spend(() => verify(order.path))
  const { databaseUrl, directory, pem, path } = order
  const warehouse = connect({ url: databaseUrl, poolSize: 4 })
  const store = createDirectoryStore(directory)
  const key = readSigningKey(pem, 'the bench')
  const common = { store, key, previousKeys: [], streams, signal }
  try {
    return await spend(async () => {
      if (order.step === 'sign') {
        const lease = await acquireLease(warehouse, { account: 'bench', job: 'bench', clock })
        const deps = { warehouse, clock, observer: silentObserver }
        await appendEvidence(deps, { ...common, account: 'bench', lease })
        await lease.release()
        return { rows: 0, pages: 0 }
      }
      const period = { from: '2026-06-01T00:00:00Z', to: '2026-07-01T00:00:00Z' }
      const scope = { account: 'bench', ...period, whiteboard: undefined, user: undefined }
      const { facts } = await exportAudit(
        { warehouse, clock },
        { ...common, scope, path, by: 'the bench' },
      )
      return { rows: facts.entries, pages: facts.files }
    })
  } finally {
    await store.close()
    await warehouse.close()
  }
}

async function verify(path: string): Promise<{ rows: number; pages: number }> {
  const { findingCount, checked } = await verifyBundle(path)
  if (findingCount > 0) throw new Error(`${findingCount} findings in a whole bundle`)
  return { rows: checked.entries, pages: checked.files }
}

await serveOrder<LargeOrder, Spent>(run)
