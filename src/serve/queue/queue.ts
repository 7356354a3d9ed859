import { type JobInsert, PgBoss } from 'pg-boss'
import type { Observer } from '../../core/define/observer.ts'
import { CallsheetError, ConfigurationError } from '../../core/errors.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import { databaseError, isDatabaseAway } from '../../warehouse/database-errors.ts'
import type { QueryClient } from '../../warehouse/kysely-driver.ts'
import { retryConflicts } from '../../warehouse/retry-conflicts.ts'
import { QUEUE_SCHEMA } from '../../warehouse/roles.ts'

/** How lively the machines are. */
export interface QueuePace {
  /** How often a free slot asks for a message. */
  pollSeconds: number
  /** A message whose machine was silent for so long is given to another one; 10 at least. */
  heartbeatSeconds: number
}

/**
 * A slot asks at once when its own machine has offered something, so the poll is for what others offer. A
 * machine may be busy for some seconds, and its leases end after half a minute of silence too.
 */
export const PACE: QueuePace = { pollSeconds: 5, heartbeatSeconds: 30 }

/** A place at which work is due: an account, or a task beside its work. */
export interface Offer {
  place: string
  /** The higher one is taken first. */
  priority: number
}

/** Does what is due at a place. `lost` aborts once another machine was given the place. */
export type TakePlace = (place: string, lost: AbortSignal) => Promise<void>

/**
 * Messages that machines share, in their database. No place has two messages at the same time, waiting or
 * taken, so no two machines are at one place. A message holds no facts: whoever takes it asks the ledger.
 */
export interface Queue {
  /** Leaves a message for each place that has none, and wakes the free slots of this machine. */
  offer(offers: readonly Offer[]): Promise<void>
  /** Takes messages until `close`, so many at a time. */
  take(atOnce: number, work: TakePlace): Promise<void>
  /** Takes nothing more, and resolves once all that was taken has ended. */
  close(): Promise<void>
}

export interface QueueDeps {
  /** Its connections are for the queue alone, so that no job keeps a heartbeat waiting. */
  warehouse: Warehouse
  observer: Observer
}

/** Makes the queue's tables, or brings them up to date. Only the owner of the database's tables may. */
export async function installQueue(deps: QueueDeps): Promise<void> {
  const boss = createBoss(deps, { migrate: true, supervise: false })
  await boss.start()
  try {
    await boss.createQueue(DUE, { policy: 'exclusive' })
  } finally {
    await boss.stop({ timeout: 5_000 })
  }
}

/** Joins the queue. Its tables are made if they are not there, which `migrate` does for who may not. */
export async function openQueue(deps: QueueDeps, pace: QueuePace = PACE): Promise<Queue> {
  const boss = await startBoss(deps)
  const { heartbeatSeconds, pollSeconds: pollingIntervalSeconds } = pace
  const rules = {
    heartbeatSeconds,
    expireInSeconds: LONGEST_SECONDS,
    deleteAfterSeconds: DAY_SECONDS,
    // A machine that dies leaves its message to the next one, soon; one that kills them all, ever later.
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
        // Whoever had something to do asks again at once, while more was waiting lately.
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
    if (!isMissing(error)) throw databaseError(error, 'opening the queue')
  }
  try {
    await installQueue(deps)
    return await createBoss(deps, { migrate: false, supervise: true }).start()
  } catch (error) {
    const cause = databaseError(error, 'making the tables of the queue')
    if (isDatabaseAway(cause)) throw cause
    throw new ConfigurationError('queue_missing', {
      tried: 'Opening the queue of due work',
      expected: `tables in the schema ${QUEUE_SCHEMA}, as this version wants them`,
      came: 'they are not so, and this role may not make them',
      todo: 'run callsheet migrate as the owner of the tables, with --writer for this role',
      cause,
    })
  }
}

/** The library has no code for it. */
function isMissing(error: unknown): boolean {
  return (
    error instanceof Error && /^pg-boss .*(not installed|requires migrations)/.test(error.message)
  )
}

function createBoss(
  { warehouse, observer }: QueueDeps,
  way: { migrate: boolean; supervise: boolean },
): PgBoss {
  const boss = new PgBoss({
    ...way,
    schema: QUEUE_SCHEMA,
    db: {
      // Each text is a transaction of its own.
      executeSql: (text, values = []) =>
        retryConflicts(() => ask(warehouse, { text, values, query_timeout: ANSWER_MS })),
    },
    // What is due stands in the ledger, so its own schedules are of no use here.
    schedule: false,
    registerInstance: false,
    // Only the owner of the tables could.
    reindex: false,
    monitorVacuum: false,
    superviseIntervalSeconds: LOOK_SECONDS,
    monitorIntervalSeconds: LOOK_SECONDS,
    queueCacheIntervalSeconds: LOOK_SECONDS,
    maintenanceIntervalSeconds: 3_600,
  })
  boss.on('error', (error) =>
    observer.event('queue warning', { code: codeOf(error), level: 'warn' }),
  )
  return boss
}

/** A connection that saw an error may be within a transaction that the library began: it is let go. */
async function ask({ pool }: Warehouse, query: Parameters<QueryClient['query']>[0]) {
  const tried = 'using the queue'
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

/** The library writes down the error that ended a visit: its code is enough there. */
function withoutWords(error: unknown): never {
  throw new Error(codeOf(error))
}

function codeOf(error: unknown): string {
  return error instanceof CallsheetError ? error.code : 'unexpected'
}

const DUE = 'due'
/** How often the machines look for messages whose holder is silent. */
const LOOK_SECONDS = 10
const DAY_SECONDS = 86_400
/** The longest that the library allows. Whoever is longer at a place is asked to stop, and goes on after. */
const LONGEST_SECONDS = DAY_SECONDS - 60
const ANSWER_MS = 30_000
/** A process that was told to stop ends within ten seconds. */
const STOP_MS = 8_000
