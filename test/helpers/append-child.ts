import { silentObserver } from '../../src/core/define/observer.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import { appendEvidence } from '../../src/evidence/append-evidence.ts'
import { readSigningKey } from '../../src/evidence/log/signing-key.ts'
import {
  whiteboardActivities,
  whiteboardSessions,
} from '../../src/resources/whiteboard-archives.ts'
import { connect } from '../../src/warehouse/connect.ts'
import { acquireLease } from '../../src/warehouse/ledger/lease.ts'
import { witnessesOf } from './ask-witness.ts'
import { plainStore } from './plain-store.ts'

/** The order for a child program that appends once and may be killed. */
export interface AppendOrder {
  databaseUrl: string
  directory: string
  /** The signing key. */
  pem: string
  batchEntries: number
  /** The witnesses to cosign. */
  witnesses: readonly { url: string; vkey: string }[]
}

const order = JSON.parse(process.argv[2] ?? '{}') as AppendOrder
const warehouse = connect({ url: order.databaseUrl, poolSize: 4 })
const clock = systemClock
const store = plainStore(order.directory)
const lease = await acquireLease(warehouse, { account: 'main', job: 'test', clock })
await appendEvidence(
  { warehouse, clock, observer: silentObserver },
  {
    account: 'main',
    lease,
    store,
    previousKeys: [],
    batchEntries: order.batchEntries,
    signal: new AbortController().signal,
    key: readSigningKey(order.pem, 'a test'),
    streams: [whiteboardSessions, whiteboardActivities],
    witnesses: witnessesOf(order.witnesses, order.witnesses.length),
  },
)
await lease.release()
await warehouse.close()
