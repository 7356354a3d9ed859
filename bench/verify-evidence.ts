import { generateKeyPairSync } from 'node:crypto'
import { verifyEvidence } from '../src/audit/verify/verify-evidence.ts'
import { silentObserver } from '../src/core/define/observer.ts'
import { systemClock } from '../src/core/time/clock.ts'
import { appendEvidence } from '../src/evidence/append-evidence.ts'
import { readSigningKey } from '../src/evidence/log/signing-key.ts'
import { createDirectoryStore } from '../src/store/directory-store.ts'
import { connect } from '../src/warehouse/connect.ts'
import { acquireLease } from '../src/warehouse/ledger/lease.ts'
import { serveOrder } from './child.ts'

export interface VerifyOrder {
  databaseUrl: string
  directory: string
}

export interface Verified {
  ms: number
  bytes: number
  findings: number
}

/** Enters what has no entry yet, which is not measured, and verifies everything, which is. */
await serveOrder<VerifyOrder, Verified>(async ({ databaseUrl, directory }) => {
  const warehouse = connect({ url: databaseUrl, poolSize: 4 })
  const store = createDirectoryStore(directory)
  const clock = systemClock
  const signal = new AbortController().signal
  const lease = await acquireLease(warehouse, { account: 'bench', job: 'bench', clock })
  const { privateKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  const common = { account: 'bench', store, streams: [], signal }
  if ((await store.listNotes()).length === 0) {
    const key = readSigningKey(pem, 'the bench')
    const options = { ...common, lease, key, previousKeys: [] }
    await appendEvidence({ warehouse, clock, observer: silentObserver }, options)
  }
  await lease.release()
  const startedMs = clock.elapsed()
  const { checked, findingCount } = await verifyEvidence(
    { warehouse },
    { ...common, keys: [], keyPinned: false },
  )
  const ms = clock.elapsed() - startedMs
  await store.close()
  await warehouse.close()
  return { ms, bytes: checked.bytes, findings: findingCount }
})
