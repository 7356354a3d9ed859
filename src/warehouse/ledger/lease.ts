import { sql } from 'kysely'
import { BusyError, FencedError, LoadError } from '../../core/errors.ts'
import { point } from '../../core/kill-point.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Transaction, Warehouse } from '../connect.ts'
import { type Holder, isGone, isHolder, thisProcess } from '../holder.ts'
import { wall } from '../schema/expressions.ts'
import { leaveMark, refuseRestored } from './lineage.ts'
import { isMoved, refuseElsewhere } from './moved.ts'

/** The right to work on an account, which one process has at a time. Each new holder increases the epoch. */
export interface Lease {
  account: string
  epoch: number
  /** Aborts with a FencedError when another process takes the lease over, or when it expires unrenewed. */
  lost: AbortSignal
  /** Inside a transaction: throws if the lease is lost, and prevents a takeover until the commit. */
  check(tx: Transaction): Promise<void>
  release(): Promise<void>
}

export interface LeaseOptions {
  account: string
  /** The holder's job, which the error of a refused process names. */
  job: string
  clock: Clock
  /** The holder reconciles a restored database, and leaves its mark itself afterwards. */
  restoring?: boolean
}

/**
 * Takes the account's lease or throws a BusyError; refuses a database that was restored from a backup. Leases
 * expire by the database's wall time, even if the data's clock is frozen. If the holder was on this machine
 * and has died, its lease is taken over at once.
 */
export async function acquireLease(warehouse: Warehouse, options: LeaseOptions): Promise<Lease> {
  const { account, clock, restoring = false } = options
  const askedMs = clock.elapsed()
  await (restoring ? refuseElsewhere : refuseRestored)(warehouse, account)
  await point('lease:taking')
  const epoch = await takeOver(warehouse, options)
  await point('lease:taken')
  const given = { account, epoch, clock }
  if (!restoring)
    await leaveMark(warehouse, given).catch(async (error: unknown) => {
      await giveBack(warehouse, given)
      throw error
    })
  const stop = new AbortController()
  const lost = new AbortController()
  const beating = keepAlive({
    warehouse,
    account,
    epoch,
    clock,
    renewedMs: askedMs,
    stop: stop.signal,
  }).then((reason) => reason !== undefined && lost.abort(reason))
  return {
    account,
    epoch,
    lost: lost.signal,
    check: (tx) => check(tx, account, epoch),
    async release() {
      stop.abort()
      await beating
      await point('lease:releasing')
      await giveBack(warehouse, { account, epoch, clock })
      await point('lease:released')
    },
  }
}

/**
 * Releases the lease, in up to `RELEASE_TRIES` attempts, because no process may sync until it is released or
 * expires. If all fail, no error is thrown: it expires by itself, and the run's own result matters more.
 */
async function giveBack(
  warehouse: Warehouse,
  { account, epoch, clock }: { account: string; epoch: number; clock: Clock },
): Promise<void> {
  for (let tries = 1; tries <= RELEASE_TRIES; tries++) {
    const given = await warehouse.db
      .updateTable('callsheet.leases')
      .set({ holder: null, expires_at: wall })
      .where('account', '=', account)
      .where('epoch', '=', epoch)
      .execute()
      .then(
        () => true,
        () => false,
      )
    if (given) return
    await clock.sleep(RELEASE_PAUSE_MS * tries)
  }
}

interface HeldLease {
  epoch: number
  holder: (Holder & { job: string; since: string; claim?: string }) | null
  moved_to: string | null
  expired: boolean
}

/**
 * Two first holders may collide in a second unique index, which the conflict clause does not cover: then the
 * lease is read again. It is also read again if an answer was lost, because we may have the lease.
 */
function askAgain(error: unknown): undefined {
  if (error instanceof LoadError && UNSURE.has(error.code)) return undefined
  throw error
}

async function takeOver(warehouse: Warehouse, { account, job }: LeaseOptions): Promise<number> {
  const claim = crypto.randomUUID()
  const holder = JSON.stringify({ ...thisProcess(), job, claim })
  for (;;) {
    // Read first: even an update that changes nothing would wait for the holder's transactions.
    const held = await readLease(warehouse.db, account)
    if (held?.holder?.claim === claim) return held.epoch
    const database = held?.moved_to ?? null
    if (database !== null) throw isMoved(account, database)
    if (held !== undefined && !isFree(held)) throw busy(account, held.holder)
    const since = sql<string>`${holder}::jsonb || jsonb_build_object('since', callsheet.wall())`
    const taken = await warehouse.db
      .insertInto('callsheet.leases')
      .values({ account, epoch: 1, holder: since, expires_at: runsOut })
      .onConflict((conflict) =>
        conflict
          .column('account')
          .doUpdateSet(({ eb, ref }) => ({
            epoch: eb('callsheet.leases.epoch', '+', 1),
            holder: ref('excluded.holder'),
            expires_at: ref('excluded.expires_at'),
          }))
          .where('callsheet.leases.epoch', '=', held?.epoch ?? 0),
      )
      .returning('epoch')
      .executeTakeFirst()
      .catch(askAgain)
    if (taken !== undefined) return taken.epoch
  }
}

async function readLease(db: Transaction, account: string): Promise<HeldLease | undefined> {
  const row = await db
    .selectFrom('callsheet.leases')
    .select(({ eb }) => ['epoch', 'holder', 'moved_to', eb('expires_at', '<=', wall).as('expired')])
    .where('account', '=', account)
    .executeTakeFirst()
  return row && { ...row, holder: row.holder as HeldLease['holder'], expired: row.expired === true }
}

/** Returns true if a process is working on the account. */
export async function isAtWork(db: Transaction, account: string): Promise<boolean> {
  const held = await readLease(db, account)
  return held !== undefined && !isFree(held)
}

function isFree({ holder, expired }: HeldLease): boolean {
  return holder === null || expired || (isHolder(holder) && isGone(holder))
}

/** Throws if the lease is lost. `FOR KEY SHARE` allows renewals, but a takeover waits for our commit. */
async function check(tx: Transaction, account: string, epoch: number): Promise<void> {
  const own = await tx
    .selectFrom('callsheet.leases')
    .select('epoch')
    .where('account', '=', account)
    .where('epoch', '=', epoch)
    .forKeyShare()
    .executeTakeFirst()
  if (own === undefined) throw fenced(account)
}

interface Beat {
  warehouse: Warehouse
  account: string
  epoch: number
  clock: Clock
  renewedMs: number
  stop: AbortSignal
}

/**
 * Renews the lease until it is stopped. Returns the reason if the lease is lost. It uses a separate
 * connection, because large transactions may occupy those of the pool for longer than a lease lasts.
 */
async function keepAlive({ warehouse, account, epoch, clock, renewedMs, stop }: Beat) {
  let lastMs = renewedMs
  for (;;) {
    const stopped = await clock.sleep(BEAT_MS, stop).then(
      () => false,
      () => true,
    )
    if (stopped) return undefined
    await point('lease:renewing')
    const sentMs = clock.elapsed()
    const renewed = await warehouse.apart
      .updateTable('callsheet.leases')
      .set({ expires_at: runsOut })
      .where('account', '=', account)
      .where('epoch', '=', epoch)
      .executeTakeFirstOrThrow()
      .then(({ numUpdatedRows }) => numUpdatedRows > 0n)
      .catch(() => undefined)
    await point('lease:renewed')
    if (renewed === false) return fenced(account)
    if (renewed === true) lastMs = sentMs
    else if (clock.elapsed() - lastMs > LEASE_SECONDS * 1000) return fenced(account)
  }
}

function busy(account: string, holder: HeldLease['holder']): BusyError {
  const { host = '?', pid = '?', job = '?', since = '?' } = holder ?? {}
  return new BusyError('account_busy', {
    tried: `Starting work on account ${account}`,
    came: `process ${pid} on ${host} has been working on this account since ${since} (${job})`,
    todo: 'wait until that process is done, or stop it',
  })
}

function fenced(account: string): FencedError {
  return new FencedError('lease_lost', {
    tried: `Writing for account ${account}`,
    came: 'another process took over the account, or the lease was not renewed in time',
    todo: 'run the command again, if no other process works on the account now (see callsheet status)',
  })
}

const LEASE_SECONDS = 30
const runsOut = sql<string>`callsheet.wall() + make_interval(secs => ${LEASE_SECONDS})`
const BEAT_MS = 10_000
/** After these errors it is unknown who holds the lease. */
const UNSURE = new Set(['sql_23505', 'connection_lost'])
const RELEASE_TRIES = 4
const RELEASE_PAUSE_MS = 250
