import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { BusyError, FencedError } from '../../../src/core/errors.ts'
import { systemClock } from '../../../src/core/time/clock.ts'
import { connect, type Warehouse } from '../../../src/warehouse/connect.ts'
import { acquireLease } from '../../../src/warehouse/ledger/lease.ts'
import { type TestDatabase, testDatabase } from '../../helpers/database.ts'
import { manualClock } from '../../helpers/manual-clock.ts'
import { saidByKilled } from '../../helpers/said-by-killed.ts'

let database: TestDatabase
let warehouse: Warehouse
beforeAll(async () => {
  database = await testDatabase()
  // The data's clock is frozen, as in the demo; leases use wall time.
  warehouse = connect({ url: database.url, frozenNow: Date.UTC(2026, 4, 1) })
})
afterAll(async () => {
  await warehouse.close()
  await database.drop()
})

const acquire = (account: string, clock = systemClock) =>
  acquireLease(warehouse, { account, job: 'users', clock })

describe('a lease', () => {
  it('belongs to one holder at a time, and a second one gets an error that names the holder', async () => {
    const lease = await acquire('one')
    expect(lease.epoch).toBe(1)
    const refused = acquire('one')
    await expect(refused).rejects.toThrow(BusyError)
    await expect(refused).rejects.toThrow(`process ${process.pid} on `)
    await expect(refused).rejects.toThrow(/since 20\d\d-.* \(users\)/)
    await expect(refused).rejects.toMatchObject({ exitCode: 5, code: 'account_busy' })
    await lease.release()
  })

  it('gets a new epoch with each new holder', async () => {
    const first = await acquire('two')
    await first.release()
    const second = await acquire('two')
    expect(second.epoch).toBe(first.epoch + 1)
    await second.release()
  })

  it('does not block another account', async () => {
    const leases = await Promise.all([acquire('three'), acquire('four')])
    expect(leases.map(({ epoch }) => epoch)).toEqual([1, 1])
    await Promise.all(leases.map((lease) => lease.release()))
  })

  it('goes to exactly one of many concurrent requests', async () => {
    const asked = await Promise.allSettled(Array.from({ length: 8 }, () => acquire('many')))
    const won = asked.filter((one) => one.status === 'fulfilled')
    expect(won).toHaveLength(1)
    await won[0]?.value.release()
  })

  it('of a killed process on this machine is taken over at once', async () => {
    const dead = await holderOfDeadProcess()
    await sql`insert into callsheet.leases values ('dead', 7, ${dead}::jsonb,
      callsheet.wall() + interval '30 s')`.execute(warehouse.db)
    const lease = await acquire('dead')
    expect(lease.epoch).toBe(8)
    await lease.release()
  })

  it('of a process on another machine is taken over only after it expires', async () => {
    const elsewhere = JSON.stringify({ host: 'elsewhere', place: 'x', pid: 1, started: '1' })
    await sql`insert into callsheet.leases values ('away', 3, ${elsewhere}::jsonb,
      callsheet.wall() + interval '30 s')`.execute(warehouse.db)
    await expect(acquire('away')).rejects.toThrow('process 1 on elsewhere')
    await runOut('away')
    const lease = await acquire('away')
    expect(lease.epoch).toBe(4)
    await lease.release()
  })
})

test('a lease is released even if the database refuses this at first', async () => {
  const hasty = connect({ url: database.url, lockTimeoutMs: 300 })
  const clock = manualClock(0)
  try {
    const lease = await acquireLease(hasty, { account: 'busy', job: 'users', clock })
    let released = false
    let releasing: Promise<void> = Promise.resolve()
    await warehouse.transaction(async (tx) => {
      await sql`select 1 from callsheet.leases where account = 'busy' for update`.execute(tx)
      releasing = lease.release().finally(() => {
        released = true
      })
      await expect.poll(waitingForLocks).toBe(1)
      await expect.poll(waitingForLocks).toBe(0)
      expect(released).toBe(false)
    })
    await expect.poll(() => clock.advance(1_000).then(() => released)).toBe(true)
    await releasing
    await (await acquire('busy')).release()
  } finally {
    await hasty.close()
  }
})

describe('the heartbeat of a lease', () => {
  it('renews the lease every ten seconds, even while a transaction checks the lease', async () => {
    const clock = manualClock(0)
    const lease = await acquire('beat', clock)
    await runOut('beat')
    await warehouse.transaction(async (tx) => {
      await lease.check(tx)
      await clock.advance(10_000)
      await expect.poll(() => secondsLeft('beat')).toBeGreaterThan(25)
    })
    await lease.release()
  })

  it('needs no free connection, even if transactions use all of them', async () => {
    const small = connect({ url: database.url, poolSize: 2 })
    const clock = manualClock(0)
    const lease = await acquireLease(small, { account: 'small', job: 'users', clock })
    await runOut('small')
    await small.transaction(async (one) => {
      await lease.check(one)
      await small.transaction(async (other) => {
        await lease.check(other)
        await clock.advance(10_000)
        await expect.poll(() => secondsLeft('small')).toBeGreaterThan(25)
      })
    })
    await lease.release()
    await small.close()
  })

  it('reports a takeover by another process', async () => {
    const clock = manualClock(0)
    const lease = await acquire('stolen', clock)
    await runOut('stolen')
    const thief = await acquire('stolen', clock)
    await clock.advance(10_000)
    await expect.poll(() => lease.lost.aborted).toBe(true)
    expect(lease.lost.reason).toBeInstanceOf(FencedError)
    expect(thief.lost.aborted).toBe(false)
    await lease.release()
    await expect(acquire('stolen', clock)).rejects.toThrow(BusyError)
    await thief.release()
  })
})

describe('a late heartbeat of a lease', () => {
  const rename = (from: string, to: string) =>
    sql`alter table ${sql.table(`callsheet.${from}`)} rename to ${sql.id(to)}`.execute(warehouse.db)

  it('loses the lease once it may have expired', async () => {
    const clock = manualClock(0)
    const lease = await acquire('cut off', clock)
    await rename('leases', 'away')
    try {
      // The clock is advanced until the lease is lost, because the renewal runs in real time.
      await expect
        .poll(async () => {
          if (clock.elapsed() <= 40_000) await clock.advance(10_001)
          return lease.lost.aborted
        })
        .toBe(true)
      expect(lease.lost.reason).toBeInstanceOf(FencedError)
    } finally {
      await rename('away', 'leases')
    }
    await lease.release()
  })

  it('renews the lease from when it was sent, not from when it was answered', async () => {
    const clock = manualClock(0)
    const lease = await acquire('late', clock)
    await warehouse.transaction(async (tx) => {
      await sql`select 1 from callsheet.leases where account = 'late' for update`.execute(tx)
      await clock.advance(10_000)
      await expect.poll(waitingForLocks).toBe(1)
      await clock.advance(20_000)
    })
    await expect.poll(waitingForLocks).toBe(0)
    await rename('leases', 'away')
    try {
      await expect
        .poll(async () => {
          if (clock.elapsed() < 55_000) await clock.advance(500)
          return lease.lost.aborted
        })
        .toBe(true)
    } finally {
      await rename('away', 'leases')
    }
    await lease.release()
  })
})

describe('the lease check inside a transaction', () => {
  it('passes for the holder, and fails for a process that lost the lease', async () => {
    const slept = await acquire('zombie')
    await expect(warehouse.transaction((tx) => slept.check(tx))).resolves.toBeUndefined()
    await runOut('zombie')
    const next = await acquire('zombie')
    await expect(warehouse.transaction((tx) => slept.check(tx))).rejects.toThrow(FencedError)
    await expect(warehouse.transaction((tx) => next.check(tx))).resolves.toBeUndefined()
    await Promise.all([slept.release(), next.release()])
  })

  it('delays a takeover until the checked transaction commits', async () => {
    const lease = await acquire('order')
    await runOut('order')
    const order: string[] = []
    let takeover: Promise<unknown> = Promise.resolve()
    await warehouse.transaction(async (tx) => {
      await lease.check(tx)
      takeover = acquire('order').then((next) => {
        order.push('taken over')
        return next.release()
      })
      await expect.poll(waitingForLocks).toBe(1)
      order.push('committed')
    })
    await takeover
    expect(order).toEqual(['committed', 'taken over'])
    await lease.release()
  })
})

const runOut = (account: string) =>
  sql`update callsheet.leases set expires_at = callsheet.wall() - interval '1 s'
    where account = ${account}`.execute(warehouse.db)

async function secondsLeft(account: string): Promise<number> {
  const { rows } = await sql<{ left: number }>`
    select extract(epoch from expires_at - callsheet.wall())::float8 as left
    from callsheet.leases where account = ${account}`.execute(warehouse.db)
  return rows[0]?.left ?? 0
}

async function waitingForLocks(): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from pg_locks l
    join pg_stat_activity a using (pid)
    where not granted and datname = current_database()`.execute(warehouse.db)
  return rows[0]?.n ?? 0
}

async function holderOfDeadProcess(): Promise<string> {
  const holder = new URL('../../../src/warehouse/holder.ts', import.meta.url).href
  return await saidByKilled(`import { thisProcess } from '${holder}'
    process.stdout.write(JSON.stringify({ ...thisProcess(), job: 'users', since: 'then' }))`)
}
