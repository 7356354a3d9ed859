import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../../src/core/clock.ts'
import { silentObserver } from '../../src/core/observer.ts'
import { appendEvidence } from '../../src/engine/append-evidence.ts'
import { connect } from '../../src/warehouse/connect.ts'
import { acquireLease } from '../../src/warehouse/lease.ts'
import {
  whiteboardActivities,
  whiteboardSessions,
} from '../../src/resources/whiteboard-archives.ts'
import { readSigningKey } from '../../src/evidence/signing-key.ts'
import { plainStore } from './plain-store.ts'

export interface AppendOrder {
  databaseUrl: string
  directory: string
  /** The signing key. */
  pem: string
  batchEntries: number
  /** The hit at which it kills itself, e.g. `commit:before#3`. */
  killAt: string
}

/** Appends in a process of its own, which kills itself. */
export async function appendInProcess({
  databaseUrl,
  directory,
  pem,
  batchEntries,
  killAt,
}: AppendOrder) {
  const order = JSON.stringify({ databaseUrl, directory, pem, batchEntries })
  const killer = join(import.meta.dirname, '..', 'proof', 'kill', 'at-points.ts')
  const args = ['--import', killer, fileURLToPath(import.meta.url), order]
  const child = spawn(process.execPath, args, {
    env: { ...process.env, PROOF_KILL_AT: killAt },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  return { code, signal }
}

async function work(order: Omit<AppendOrder, 'killAt'>): Promise<void> {
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
    },
  )
  await lease.release()
  await warehouse.close()
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await work(JSON.parse(process.argv[2] ?? '{}') as AppendOrder)
