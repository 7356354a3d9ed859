import { sql } from 'kysely'
import { lockHolds } from '../archive/sql/holds.ts'
import { BusyError, ConfigurationError } from '../core/errors.ts'
import { point } from '../core/kill-point.ts'
import type { Clock } from '../core/time/clock.ts'
import { lockManifest } from '../evidence/sql/manifest.ts'
import type { DatabaseClient, Transaction, Warehouse } from '../warehouse/connect.ts'
import { analyzeFresh } from '../warehouse/fresh-statistics.ts'
import { lockSuppressions } from '../warehouse/keep-out/erasure-locks.ts'
import { acquireLease, isAtWork, type Lease } from '../warehouse/ledger/lease.ts'
import {
  type AccountTable,
  accountTables,
  hasLastOf,
  heldOf,
} from '../warehouse/move/account-tables.ts'
import { cleanAccount, markMoved } from '../warehouse/move/clean-account.ts'
import { type CopyEnd, copyAccount } from '../warehouse/move/copy-account.ts'
import { decideMove, type MoveStep } from '../warehouse/move/decide-move.ts'

/** One end of a move: a database, and its name in the configuration. */
export interface MoveEnd {
  name: string
  warehouse: Warehouse
}

export interface AccountMove {
  account: string
  from: MoveEnd
  to: MoveEnd
  clock: Clock
  signal: AbortSignal
}

/**
 * Moves an account's rows to another database. Copies and compares them in one transaction of the target,
 * marks the account as moved, and then removes the source's rows. The next step follows from the two
 * databases, so a call continues an earlier one that was killed. Returns the number of copied rows by table;
 * undefined if an earlier call copied them.
 */
export async function moveAccount(
  move: AccountMove,
): Promise<ReadonlyMap<string, number> | undefined> {
  const { account, from, to, clock } = move
  const [source, target] = [from.warehouse.db, to.warehouse.db]
  const tables = await accountTables(source)
  const facts = {
    source: await heldOf(source, account, tables),
    target: await heldOf(target, account, tables),
    contained: await hasLastOf({ source, target }, account),
  }
  const step = decideMove(facts)
  if (step === 'moved') return undefined
  if (step !== 'copy' && step !== 'clean') throw refused(move, step)
  let copied: ReadonlyMap<string, number> | undefined
  if (facts.source.movedTo === null) {
    // A lease for a copy leaves a mark; the target has this mark only if the copy is complete.
    const wanted = { account, job: `move to ${to.name}`, clock, restoring: step === 'clean' }
    const lease = await acquireLease(from.warehouse, wanted)
    try {
      // Finds our own lease if both names lead to the same database.
      if (await isAtWork(target, account)) throw busyThere(move)
      if (step === 'copy') copied = await copyOver(move, { lease, tables })
      else await from.warehouse.transaction((tx) => leave(tx, lease, move))
    } finally {
      await lease.release()
    }
  }
  await point('move:switched')
  await analyzeFresh(to.warehouse)
  await cleanAccount(from.warehouse, { ...move, tables })
  return copied
}

/** Marks the account as moved. Until this transaction ends, no other process can take the account's lease. */
async function leave(tx: Transaction, lease: Lease, { account, to }: AccountMove): Promise<void> {
  await lease.check(tx)
  await markMoved(tx, { account, to: to.name })
}

/** Copies in one snapshot of the source, while a transaction in `fence` locks out all other writers. */
async function copyOver(
  move: AccountMove,
  { lease, tables }: { lease: Lease; tables: readonly AccountTable[] },
): Promise<ReadonlyMap<string, number>> {
  const { account } = move
  const [from, to] = [move.from.warehouse, move.to.warehouse]
  const signal = AbortSignal.any([move.signal, lease.lost])
  return await from.transaction(async (fence) => {
    await stayOpen(fence)
    await lease.check(fence)
    await lockManifest(fence, account)
    await lockSuppressions(fence, account)
    await lockHolds(fence, account)
    await point('move:copying')
    const rows = await from.transaction(
      async (...reading) =>
        await to.transaction(async (...writing) => {
          const ends = { source: await endOf(reading), target: await endOf(writing) }
          const counts = await copyAccount({ account, tables, signal, ...ends })
          await point('move:switching')
          return counts
        }, PATIENT),
      { ...PATIENT, snapshot: true },
    )
    await point('move:leaving')
    await leave(fence, lease, move)
    return rows
  }, PATIENT)
}

async function endOf([tx, client]: [Transaction, DatabaseClient]): Promise<CopyEnd> {
  await stayOpen(tx)
  return { tx, client }
}

async function stayOpen(tx: Transaction): Promise<void> {
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx)
}

function busyThere({ account, to }: AccountMove): BusyError {
  return new BusyError('account_busy', {
    tried: `Moving account ${account} to the database ${to.name}`,
    came: 'a process works on this account there, or both databases are the same one',
    todo: 'wait until that process is done, or stop it; or correct the url of one database',
  })
}

function refused(
  { account, from: { name: there }, to: { name: here } }: AccountMove,
  step: Exclude<MoveStep, 'copy' | 'clean' | 'moved'>,
): ConfigurationError {
  const [came, todo] = {
    nowhere: [
      'neither database has rows of this account',
      'check the name after --from; a new account needs no move',
    ],
    stale: [
      `${here} has rows that an earlier move to ${there} left`,
      `end that move: set its database to ${there}, and run callsheet move ${account} --from ${here}`,
    ],
    away: [
      `${there} has only a remainder, which an earlier move left`,
      'name the database to which it was moved, or restore that one from its backup',
    ],
    diverged: [
      'both databases have rows of this account, and each has some that the other lacks',
      'set its database to the one whose rows count; callsheet runs lists what each has',
    ],
  }[step] as [string, string]
  return new ConfigurationError('account_not_moved', {
    tried: `Moving account ${account} from the database ${there} to ${here}`,
    came,
    todo,
  })
}

/** Copying a large table takes longer than the usual limit on a statement. */
const PATIENT = { once: true, patienceMs: 86_400_000 }
