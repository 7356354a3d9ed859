import { type JobInsert, PgBoss } from 'pg-boss'
import type { Config } from '../../config/schema.ts'
import type { Observer } from '../../core/define/observer.ts'
import { ConfigurationError, LoadError } from '../../core/errors.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import { databaseError } from '../../warehouse/database-errors.ts'
import type { QueryClient } from '../../warehouse/kysely-driver.ts'
import { retryConflicts } from '../../warehouse/retry-conflicts.ts'
import { QUEUE_SCHEMA } from '../../warehouse/roles.ts'

export interface QueuePace {
  /** How often a free slot polls for a message. */
  pollSeconds: number
  /** A message is redelivered if its machine sends no heartbeat for this long. The minimum is 10. */
  heartbeatSeconds: number
}

/**
 * A machine wakes its own slots, so polling serves only messages of other machines and need not be frequent.
 * The heartbeat matches leases, which expire after 30 seconds of silence.
 */
export const PACE: QueuePace = { pollSeconds: 5, heartbeatSeconds: 30 }

/** A message to queue. Its place is an account or one of its tasks (`queuePlace`). */
export interface Offer {
  place: string
  /** The message with the highest priority is received first. */
  priority: number
}

/** Runs the due work of a place. `lost` aborts if the message was redelivered to another machine. */
export type TakePlace = (place: string, lost: AbortSignal) => Promise<void>

/**
 * A queue in the database that machines share. A place has at most one message, waiting or received, so only
 * one machine works on the place. A message contains only its place: the receiver reads the ledger.
 */
export interface Queue {
  /** Queues a message for each place that has none, and wakes the free slots of this machine. */
  offer(offers: readonly Offer[]): Promise<void>
  /** Receives messages until `close`, up to `atOnce` in parallel. */
  take(atOnce: number, work: TakePlace): Promise<void>
  /** Stops receiving messages. Resolves once all running work has ended, or after `STOP_MS`. */
  close(): Promise<void>
}

export interface QueueDeps {
  /** A warehouse with connections that only the queue uses, so that no job delays a heartbeat. */
  warehouse: Warehouse
  observer: Observer
  /** The database for which pg-boss chooses its statements. */
  backend?: Config['database']['backend']
}

/** Creates or migrates the queue's tables, which only the owner of the database's tables may do. */
export async function installQueue(deps: QueueDeps): Promise<void> {
  const boss = createBoss(deps, { migrate: true, supervise: false })
  await boss.start()
  try {
    await boss.createQueue(DUE, { policy: 'exclusive' })
  } finally {
    await boss.stop({ timeout: 5_000 })
  }
}

/** Joins the queue. Creates its tables if this role may; otherwise `migrate` must have created them. */
export async function openQueue(deps: QueueDeps, pace: QueuePace = PACE): Promise<Queue> {
  const boss = await startBoss(deps)
  const { heartbeatSeconds, pollSeconds: pollingIntervalSeconds } = pace
  const rules = {
    heartbeatSeconds,
    expireInSeconds: LONGEST_SECONDS,
    deleteAfterSeconds: DAY_SECONDS,
    // The message of a dead machine is redelivered after a second. The delay grows with each redelivery,
    // because a message may kill every machine.
    retryLimit: 20,
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: 60,
  }
  const polling = { batchSize: 1, heartbeatRefreshSeconds: heartbeatSeconds / 3 }
  const slots: string[] = []
  return {
    async offer(offers) {
      if (offers.length === 0) return
      const messages = offers.map(
        ({ place, priority }): JobInsert => ({
          ...rules,
          data: { place },
          singletonKey: place,
          priority,
        }),
      )
      await boss.insert(DUE, messages)
      for (const slot of slots) boss.notifyWorker(slot)
    },
    async take(atOnce, work) {
      const options = {
        ...polling,
        pollingIntervalSeconds,
        // A slot that had work polls again at once if more messages were waiting.
        burstWhenReadyExceeds: 1,
      }
      for (let slot = 0; slot < atOnce; slot++)
        slots.push(
          await boss.work<{ place: string }>(DUE, options, async ([message]) => {
            if (message !== undefined)
              await work(message.data.place, message.signal).catch(withoutWords)
          }),
        )
    },
    close: () => boss.stop({ timeout: STOP_MS }),
  }
}

async function startBoss(deps: QueueDeps): Promise<PgBoss> {
  const boss = createBoss(deps, { migrate: false, supervise: true })
  try {
    return await boss.start()
  } catch (error) {
    if (!isMissing(error)) throw databaseError(error, 'Opening the queue')
  }
  try {
    await installQueue(deps)
    return await createBoss(deps, { migrate: false, supervise: true }).start()
  } catch (error) {
    const cause = databaseError(error, 'Creating the tables of the queue')
    if (cause instanceof LoadError && cause.code !== 'database_permission') throw cause
    throw new ConfigurationError('queue_missing', {
      tried: 'Opening the queue of due work',
      came:
        `the tables in the schema ${QUEUE_SCHEMA} are missing or outdated, and this role cannot ` +
        'create them',
      todo: 'run callsheet migrate --writer ROLE as the owner of the tables',
      cause,
    })
  }
}

/** Whether the queue's tables are missing; the library has no error code for that. */
function isMissing(error: unknown): boolean {
  return (
    error instanceof Error && /^pg-boss .*(not installed|requires migrations)/.test(error.message)
  )
}

function createBoss(
  { warehouse, observer, backend = 'postgres' }: QueueDeps,
  way: { migrate: boolean; supervise: boolean },
): PgBoss {
  // Each poll fails while the database is away, so a code is reported only once until a statement succeeds.
  const reported = new Set<string>()
  const boss = new PgBoss({
    ...way,
    backend,
    schema: QUEUE_SCHEMA,
    db: {
      // Each statement text is a transaction of its own.
      executeSql: async (text, values = []) => {
        const query = { text, values, query_timeout: ANSWER_MS }
        const answer = await retryConflicts(() => ask(warehouse, query))
        reported.clear()
        return answer
      },
    },
    // The ledger knows which work is due, so pg-boss's own schedules are not used.
    schedule: false,
    registerInstance: false,
    // Both options require a connection as the owner of the tables.
    reindex: false,
    monitorVacuum: false,
    superviseIntervalSeconds: LOOK_SECONDS,
    monitorIntervalSeconds: LOOK_SECONDS,
    queueCacheIntervalSeconds: LOOK_SECONDS,
    maintenanceIntervalSeconds: 3_600,
  })
  boss.on('error', (error) => {
    const code = codeOf(error)
    if (reported.has(code)) return
    reported.add(code)
    observer.event('queue warning', { code, level: 'warn' })
  })
  return boss
}

/** Discards the connection after an error, because the library may have left a transaction open on it. */
async function ask({ pool }: Warehouse, query: Parameters<QueryClient['query']>[0]) {
  const tried = 'Using the queue'
  const client = await pool.connect().catch((error: unknown) => {
    throw databaseError(error, tried)
  })
  let spoilt = true
  try {
    const answer = await (client as QueryClient).query(query)
    spoilt = false
    return answer
  } catch (error) {
    throw databaseError(error, tried)
  } finally {
    client.release(spoilt)
  }
}

/** Throws an error with only a code, because pg-boss stores the error that ended a message. */
function withoutWords(error: unknown): never {
  throw new Error(codeOf(error))
}

/** pg-boss copies some errors into plain objects, which keep the code. */
function codeOf(error: unknown): string {
  const code = error instanceof Object && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^\w+$/.test(code) ? code : 'unexpected'
}

const DUE = 'due'
/** How often the machines check for messages of silent machines. */
const LOOK_SECONDS = 10
const DAY_SECONDS = 86_400
/** The maximum that pg-boss allows. Longer work is stopped, and continues with the next message. */
const LONGEST_SECONDS = DAY_SECONDS - 60
const ANSWER_MS = 30_000
/** How long to wait for running work: the process must end within ten seconds of its stop signal. */
const STOP_MS = 8_000
