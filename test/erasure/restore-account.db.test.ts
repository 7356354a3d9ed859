import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createDatabaseNotes } from '../../src/account/database-notes.ts'
import { openErasure } from '../../src/account/open-erasure.ts'
import { openSealing } from '../../src/account/open-sealing.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { suppressionOf } from '../../src/core/persons/suppression.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import type { ErasureDeps } from '../../src/erasure/erasing.ts'
import { type RestoredAccount, restoreAccount } from '../../src/erasure/restore-account.ts'
import type { FileStore } from '../../src/store/store.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { readSuppressions } from '../../src/warehouse/keep-out/suppressions.ts'
import { acquireLease } from '../../src/warehouse/ledger/lease.ts'
import { findRestored } from '../../src/warehouse/ledger/lineage.ts'
import { type TestDatabase, testDatabase } from '../helpers/database.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { addUser } from './add-user.ts'
import { erase, openedOf, readmit, tablesWith } from './stage.ts'

const account = 'account-0'
const MIA = { id: 'Usr_Mia-0001', email: 'mia.muster@example.com', display_name: 'Mia Muster' }
const NOE = { id: 'Usr_Noe-0002', email: 'noe.niemand@example.com', display_name: 'Noe Niemand' }

// Persons are erased in the world's own database. An empty database then takes its place, like the oldest
// possible backup: it lacks even the key of the digests.
let world: World
let folder: string
let database: TestDatabase
let older: Warehouse

beforeAll(async () => {
  world = await openWorld({ sizes: TINY })
  for (const person of [MIA, NOE]) {
    await addUser(world, person)
    await erase(world, { persons: [person.id] })
  }
})
afterAll(() => world.close())
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'callsheet-restore-'))
  cpSync(notesFolder(), join(folder, 'notes'), { recursive: true })
  database = await testDatabase()
  older = connect({ url: database.url, notes: createDatabaseNotes(folder, silentObserver) })
})
afterEach(async () => {
  await older.close()
  await database.drop()
  // Each test begins with the notes of the two erasures.
  rmSync(notesFolder(), { recursive: true })
  cpSync(join(folder, 'notes'), notesFolder(), { recursive: true })
  rmSync(folder, { recursive: true })
})

const notesFolder = () => join(dirname(world.place.configFile), 'archive', account, 'notes')

async function restore(
  change: (deps: ErasureDeps) => Partial<ErasureDeps> = () => ({}),
): Promise<RestoredAccount> {
  const { signal } = new AbortController()
  const { deps, close } = await openErasure(openedOf(world, older), { account, signal })
  try {
    const options = { account, askedBy: 'a test', enterBreak: false, signal }
    return await restoreAccount({ ...deps, ...change(deps) }, options)
  } finally {
    await close()
  }
}

const plant = async (): Promise<void> => {
  const planted = { ...world, warehouse: older }
  await addUser(planted, MIA)
  // Another user's row contains both identifiers in a longer text.
  const other = { id: 'Usr_Kim-0003', email: 'kim@example.com', display_name: 'Kim' }
  await addUser(planted, { ...other, display_name: `Kim, for ${NOE.email} (${NOE.id})` })
  await sql`insert into callsheet.drift (account, stream, kind, path, example, first_run_id, first_seen_at)
    values (${account}, 'users', 'unknown_field', 'x', ${`"${NOE.email}"`}, 1, now())`.execute(
    older.db,
  )
}
const named = () => tablesWith(older, [MIA.id, MIA.email, NOE.id, NOE.email])
const workBefore = async (): Promise<void> => {
  const lease = await acquireLease(older, { account, job: 'a test', clock: systemClock })
  await lease.release()
  await sql`update callsheet.leases set marks = default, marked_at = null`.execute(older.db)
}

describe('a person erased since the backup', () => {
  it('is erased again, and kept out of syncs', async () => {
    await plant()
    const { lost, erased } = await restore()
    expect(lost.erasures).toMatchObject({ sealed: 0, strange: 0 })
    expect(lost.erasures.lost).toHaveLength(2)
    // One erasure per person, because the ID leads to the person's other identities.
    expect(erased).toHaveLength(2)
    expect(await named()).toEqual([])
    const list = suppressionOf(await readSuppressions(older.db, account))
    for (const { id, email } of [MIA, NOE])
      expect([list.isPerson(id), list.isPerson(email)]).toEqual([true, true])
    const { rows } = await sql<{ id: string }>`select id from svc.users`.execute(older.db)
    expect(rows).toEqual([{ id: 'Usr_Kim-0003' }])
  })

  it('is erased by the call after an interrupted one, and other work is refused until then', async () => {
    await plant()
    await workBefore()
    const failing = (store: FileStore): FileStore => ({
      ...store,
      keepNote: () => Promise.reject(new Error('the machine died')),
    })
    await expect(restore(({ store }) => ({ store: failing(store) }))).rejects.toThrow('died')
    expect(await findRestored(older, account)).toBeDefined()
    await expect(
      acquireLease(older, { account, job: 'a test', clock: systemClock }),
    ).rejects.toMatchObject({ code: 'database_restored' })
    await restore()
    expect(await named()).toEqual([])
    expect(await findRestored(older, account)).toBeUndefined()
    const again = await restore()
    expect([again.erased, again.lost.erasures.lost]).toEqual([[], []])
    const { rows } = await sql`select id from callsheet.incidents`.execute(older.db)
    expect(rows).toHaveLength(1)
  })

  it('is erased completely if the erasure was interrupted after the last row', async () => {
    await plant()
    const dies = () => Promise.reject(new Error('the machine died'))
    await expect(restore(() => ({ sign: dies }))).rejects.toThrow('died')
    const states = async () => {
      const { rows } = await sql<{ state: string }>`
        select state from callsheet.erasure_requests where source = 'command'`.execute(older.db)
      return rows.map(({ state }) => state)
    }
    expect(await states()).toEqual(['under_way'])
    await restore()
    expect(await states()).toEqual(['done', 'done'])
    expect(await named()).toEqual([])
  })

  it('is not erased because of a note that our key did not sign', async () => {
    await plant()
    const forge = (store: FileStore): FileStore => ({
      ...store,
      readNote: async (name) =>
        (await store.readNote(name))?.replace(/"signature":"(.)/, (_all, first) =>
          first === 'A' ? '"signature":"B' : '"signature":"A',
        ),
    })
    const { lost, erased } = await restore(({ store }) => ({ store: forge(store) }))
    expect([lost.erasures.strange, erased]).toEqual([2, []])
    expect(await named()).not.toEqual([])
  })

  it('is counted as sealed and not erased if no key opens the digests', async () => {
    await plant()
    const other = openSealing(
      { stateDirectory: folder, tokenKey: null, previousTokenKeys: [] },
      account,
    )
    const { lost, erased } = await restore(() => ({ sealing: () => other }))
    expect([lost.erasures.sealed, erased]).toEqual([2, []])
  })
})

it('a person who was readmitted is not erased again by restored', async () => {
  await readmit(world, MIA.id)
  await plant()
  const { lost } = await restore()
  expect(lost.erasures.lost).toHaveLength(1)
  expect(await tablesWith(older, [MIA.id])).toEqual(['svc.users'])
  expect(await tablesWith(older, [NOE.id, NOE.email])).toEqual([])
})
