import { lockHolds } from '../archive/sql/holds.ts'
import { BusyError, ConfigurationError } from '../core/errors.ts'
import { point } from '../core/kill-point.ts'
import type { Clock } from '../core/time/clock.ts'
import { lockManifest } from '../evidence/sql/manifest.ts'
import { lockText, tryLockText } from '../warehouse/advisory-lock.ts'
import type { Transaction, Warehouse } from '../warehouse/connect.ts'
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
import { copyAccount } from '../warehouse/move/copy-account.ts'
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
  /** Called after the target's commit, with the number of copied rows by table. */
  onCopied?: (rows: ReadonlyMap<string, number>) => void
}

/**
 * Moves an account's rows to another database. Copies and compares them in one transaction of the target,
 * marks the account as moved, and then removes the source's rows. The next step follows from the two
 * databases, so a call continues an earlier one that was killed. Returns the number of copied rows; undefined
 * if an earlier call copied them.
 */
export async function moveAccount(move: AccountMove): Promise<number | undefined> {
  const { account, from, to, clock } = move
  if (await isSame(from.warehouse, to.warehouse)) throw sameDatabase(move)
  const tables = await accountTables(from.warehouse.db)
  const step = await readStep(move, tables)
  if (step === 'moved') return undefined
  if (step !== 'copy' && step !== 'clean') throw refused(move, step)
  if (await isAtWork(to.warehouse.db, account)) throw busyThere(move)
  const { movedTo } = await heldOf(from.warehouse.db, account, tables)
  let copied: number | undefined
  if (movedTo === null) {
    // A lease for a copy leaves a mark; the target has this mark only if the copy is complete.
    const restoring = step === 'clean'
    const wanted = { account, job: `move to ${to.name}`, clock, restoring }
    const lease = await acquireLease(from.warehouse, wanted)
    try {
      if (step === 'copy') copied = await copyOver(move, { lease, tables })
      else await from.warehouse.transaction(async (tx) => await leave(tx, lease, move))
    } finally {
      await lease.release()
    }
  }
  await point('move:switched')
  await analyzeFresh(to.warehouse)
  await cleanAccount(from.warehouse, { ...move, tables })
  return copied
}

/** Returns true if both addresses lead to one database: then a lock taken through one blocks the other. */
async function isSame(one: Warehouse, other: Warehouse): Promise<boolean> {
  const text = crypto.randomUUID()
  return await one.transaction(async (tx) => {
    await lockText(tx, text, { space: SAME_LOCK })
    return !(await other.transaction((own) => tryLockText(own, text, SAME_LOCK)))
  })
}

async function readStep(
  { account, from, to }: AccountMove,
  tables: readonly AccountTable[],
): Promise<MoveStep> {
  return decideMove({
    source: await heldOf(from.warehouse.db, account, tables),
    target: await heldOf(to.warehouse.db, account, tables),
    contained: await hasLastOf({ source: from.warehouse.db, target: to.warehouse.db }, account),
  })
}

/** Marks the account as moved. Until this transaction ends, no other process can take the account's lease. */
async function leave(tx: Transaction, lease: Lease, { account, to }: AccountMove): Promise<void> {
  await lease.check(tx)
  await markMoved(tx, { account, to: to.name })
}

async function copyOver(
  move: AccountMove,
  { lease, tables }: { lease: Lease; tables: readonly AccountTable[] },
): Promise<number> {
  const { account, from, to } = move
  const signal = AbortSignal.any([move.signal, lease.lost])
  // Copying a large table takes longer than the usual limit on a statement.
  const [source, target] = [from, to].map(({ warehouse }) => warehouse.withPatience(A_DAY_MS)) as [
    Warehouse,
    Warehouse,
  ]
  try {
    return await source.transaction(
      async (fence, client) => {
        await client.query('set local idle_in_transaction_session_timeout = 0')
        await lease.check(fence)
        await lockManifest(fence, account)
        await lockSuppressions(fence, account)
        await lockHolds(fence, account)
        await point('move:copying')
        const rows = await source.transaction(
          async (...reading) =>
            await target.transaction(
              async (...writing) => {
                const [one, other] = [reading, writing].map(([tx, own]) => ({ tx, client: own }))
                const ends = { source: one!, target: other! }
                const counts = await copyAccount({ account, tables, signal, ...ends })
                await point('move:switching')
                return counts
              },
              { once: true },
            ),
          { snapshot: true, once: true },
        )
        await point('move:leaving')
        move.onCopied?.(rows)
        await leave(fence, lease, move)
        return [...rows.values()].reduce((sum, count) => sum + count, 0)
      },
      { once: true },
    )
  } finally {
    await Promise.all([source.close(), target.close()])
  }
}

function sameDatabase({ account, from, to }: AccountMove): ConfigurationError {
  return new ConfigurationError('move_to_itself', {
    tried: `Moving account ${account} from the database ${from.name} to ${to.name}`,
    came: 'both names lead to the same database',
    todo: 'correct the url of one of them',
  })
}

function busyThere({ account, to }: AccountMove): BusyError {
  return new BusyError('account_busy', {
    tried: `Moving account ${account} to the database ${to.name}`,
    came: 'a process works on this account there',
    todo: 'wait until that process is done, or stop it',
  })
}

function refused(
  { account, from, to }: AccountMove,
  step: Exclude<MoveStep, 'copy' | 'clean' | 'moved'>,
): ConfigurationError {
  const { name: there } = from
  const { name: here } = to
  return new ConfigurationError('account_not_moved', {
    tried: `Moving account ${account} from the database ${there} to ${here}`,
    came:
      step === 'nowhere'
        ? 'neither database has rows of this account'
        : step === 'stale'
          ? `${here} has rows that an earlier move to ${there} left`
          : step === 'away'
            ? `${there} has only a remainder, which an earlier move left`
            : 'both databases have rows of this account, and each has some that the other lacks',
    todo:
      step === 'nowhere'
        ? 'check the name after --from; a new account needs no move'
        : step === 'stale'
          ? `end that move: set its database to ${there}, and run callsheet move ${account} --from ${here}`
          : step === 'away'
            ? 'name the database to which it was moved, or restore that one from its backup'
            : 'set its database to the one whose rows count; callsheet runs lists what each has',
  })
}

const A_DAY_MS = 86_400_000
/** The space of this advisory lock; Callsheet uses this space for no other lock. */
const SAME_LOCK = 2_026_000_030
