import { sql } from 'kysely'
import { connect, type Warehouse } from '../../../src/warehouse/connect.ts'
import type { DatabaseFault, FaultPlan } from './fault-plan.ts'

export interface Injector {
  /** Heals what it did and ends. */
  stop(): Promise<void>
}

interface Injecting {
  admin: Warehouse
  /** The database that is disturbed; its name is of our own making. */
  name: string
}

/** Disturbs a database as somebody else would, from a connection of its own, one fault after the other. */
export async function injectFaults(url: string, plan: FaultPlan): Promise<Injector> {
  const name = new URL(url).pathname.slice(1)
  const admin = connect({ url, poolSize: 2, lockTimeoutMs: 2_000 })
  const injecting = { admin, name }
  let stopped = false
  const enabled = plan.database
  // Whoever waits longest looks for a deadlock first and is its victim: that must not be we.
  await set(injecting, 'set deadlock_timeout = 20')
  const inject = async (): Promise<void> => {
    for (let n = 0; n < MAX_INJECTIONS && !stopped && enabled.length > 0; n++) {
      await pause(20 + plan.random() * 120)
      // The rest of a division, and some are enabled.
      await INJECT[enabled[n % enabled.length]!](injecting)
    }
  }
  const running = inject()
  running.catch(() => {})
  return {
    async stop() {
      stopped = true
      try {
        await running
        await set(injecting, 'reset all')
        await set(injecting, 'connection limit -1')
        await terminateAll(injecting)
      } finally {
        await admin.close()
      }
    },
  }
}

const INJECT: Readonly<Record<DatabaseFault, (injecting: Injecting) => Promise<void>>> = {
  'backend terminated': async ({ admin }) => {
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
      and application_name = 'callsheet-proof' and state <> 'idle' limit 1`.execute(admin.db)
  },
  // They hold the lease and come to the ledger; we hold the ledger and come to the lease.
  deadlock: ({ admin }) =>
    disturb(admin, async (tx) => {
      await sql`set local deadlock_timeout = '10s'`.execute(tx)
      await sql`lock table callsheet.slices in exclusive mode`.execute(tx)
      await pause(10)
      await sql`select 1 from callsheet.leases for update`.execute(tx)
    }),
  'lock timeout': ({ admin }) =>
    disturb(admin, async (tx) => {
      await sql`lock table callsheet.slices, callsheet.batches in exclusive mode`.execute(tx)
      await pause(LOCK_TIMEOUT_MS * 2)
    }),
  'read-only': async (injecting) => {
    await set(injecting, 'set default_transaction_read_only = on')
    await terminateAll(injecting)
    await pause(60)
    await set(injecting, 'reset default_transaction_read_only')
  },
  'too many connections': async (injecting) => {
    await set(injecting, 'connection limit 1')
    await terminateAll(injecting)
    await pause(60)
    await set(injecting, 'connection limit -1')
  },
}

/** A transaction that changes nothing in the end; it may itself come too late for a lock. */
async function disturb(
  admin: Warehouse,
  work: (tx: Parameters<Parameters<Warehouse['transaction']>[0]>[0]) => Promise<void>,
): Promise<void> {
  await admin.transaction(work).catch((error: unknown) => {
    const code = (error as { code?: string }).code ?? ''
    if (!['lock_timeout', 'deadlock'].includes(code)) throw error
  })
}

async function terminateAll({ admin }: Injecting): Promise<void> {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
    and application_name = 'callsheet-proof'`.execute(admin.db)
}

/** `alter database` takes no parameters; both parts are ours. */
async function set({ admin, name }: Injecting, what: string): Promise<void> {
  await admin.withClient((client) => client.query(`alter database ${name} ${what}`))
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

const MAX_INJECTIONS = 10
export const LOCK_TIMEOUT_MS = 60
