import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { DatabaseNote, DatabaseNotes } from '../../../src/core/define/ports.ts'
import { systemClock } from '../../../src/core/time/clock.ts'
import { connect, type Warehouse } from '../../../src/warehouse/connect.ts'
import { acquireLease } from '../../../src/warehouse/ledger/lease.ts'
import { findRestored, refuseRestored } from '../../../src/warehouse/ledger/lineage.ts'
import { type Backup, backUp } from '../../erasure/backup.ts'
import { type TestDatabase, testDatabase } from '../../helpers/database.ts'

/** A machine with its own notes. */
function machine(url: string) {
  const kept = new Map<string, DatabaseNote>()
  const notes: DatabaseNotes = {
    read: (account) => kept.get(account),
    keep: (account, note) => void kept.set(account, note),
  }
  return { kept, open: (): Warehouse => connect({ url, notes }) }
}

let database: TestDatabase
let backup: Backup | undefined
const open: Warehouse[] = []
beforeEach(async () => {
  database = await testDatabase()
})
afterEach(async () => {
  await closeAll()
  await backup?.drop()
  backup = undefined
  await database.drop()
})

const closeAll = async (): Promise<void> => {
  for (const one of open.splice(0)) await one.close()
}
const on = (one: ReturnType<typeof machine>): Warehouse => {
  const warehouse = one.open()
  open.push(warehouse)
  return warehouse
}
const work = async (warehouse: Warehouse, account = 'main'): Promise<number> => {
  const lease = await acquireLease(warehouse, { account, job: 'a test', clock: systemClock })
  await lease.release()
  return lease.epoch
}
const REFUSED = { code: 'database_restored' }

describe('a database known to a machine', () => {
  it('is accepted, even after work by other machines', async () => {
    const [one, other] = [machine(database.url), machine(database.url)]
    await work(on(one))
    for (let times = 0; times < 3; times++) await work(on(other))
    expect(await findRestored(on(one), 'main')).toBeUndefined()
    await work(on(one))
    expect(await findRestored(on(other), 'main')).toBeUndefined()
  })

  it('is refused after a backup was restored, by each machine that worked after the backup', async () => {
    const [one, other] = [machine(database.url), machine(database.url)]
    await work(on(one))
    await work(on(other))
    await closeAll()
    backup = await backUp(database.url)
    await work(on(one))
    await closeAll()
    await backup.restore()
    await expect(work(on(one))).rejects.toMatchObject(REFUSED)
    const found = await findRestored(on(one), 'main')
    expect(found?.note).toEqual(one.kept.get('main'))
    expect(Date.parse(found?.knownUntil ?? '')).toBeLessThan(Date.parse(found?.note.at ?? ''))
    // The other machine's work is in the backup, so it may continue.
    await expect(work(on(other))).resolves.toBeGreaterThan(0)
  })

  it('is refused even after much work by other machines', async () => {
    const [one, other] = [machine(database.url), machine(database.url)]
    await work(on(other))
    await closeAll()
    backup = await backUp(database.url)
    const epoch = await work(on(one))
    await closeAll()
    await backup.restore()
    while ((await work(on(other))) <= epoch + 2);
    await expect(work(on(one))).rejects.toMatchObject(REFUSED)
  })

  it('is refused if an empty database replaced it, but only for accounts that it had', async () => {
    const one = machine(database.url)
    await closeAll()
    backup = await backUp(database.url)
    await work(on(one))
    await closeAll()
    await backup.restore()
    await expect(refuseRestored(on(one), 'main')).rejects.toMatchObject({
      ...REFUSED,
      facts: { came: 'the database has no record of this account, so it was restored or replaced' },
    })
    expect(await work(on(one), 'another')).toBe(1)
  })

  it('is refused after a restore, even if the work after the backup had only begun', async () => {
    const one = machine(database.url)
    backup = await backUp(database.url)
    const lease = await acquireLease(on(one), {
      account: 'main',
      job: 'a test',
      clock: systemClock,
    })
    expect(one.kept.get('main')).toMatchObject({ epoch: lease.epoch })
    await closeAll()
    await backup.restore()
    await expect(work(on(one))).rejects.toMatchObject(REFUSED)
    await lease.release()
  })
})

it('a machine without a note accepts any database, and leaves no mark if it cannot store notes', async () => {
  await work(on(machine(database.url)))
  const bare = connect({ url: database.url })
  open.push(bare)
  await work(bare)
  const { rows } =
    await sql`select cardinality(marks) as marks, epoch from callsheet.leases`.execute(bare.db)
  expect(rows).toEqual([{ marks: 1, epoch: 2 }])
})

it('a database keeps only the newest 3,000 marks', async () => {
  const one = machine(database.url)
  const warehouse = on(one)
  await work(warehouse)
  const { mark: first } = one.kept.get('main') ?? {}
  const more = sql`array(select gen_random_uuid() from generate_series(1, 2999))`
  await sql`update callsheet.leases set marks = marks || ${more}`.execute(warehouse.db)
  await work(warehouse)
  const marks = one.kept.get('main')?.mark
  const { rows } = await sql`
    select cardinality(marks) as kept, marks[1] as newest, marks[2] as second from callsheet.leases`.execute(
    warehouse.db,
  )
  expect(rows).toEqual([{ kept: 3000, newest: marks, second: first }])
})
