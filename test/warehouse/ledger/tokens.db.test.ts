import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, type Warehouse } from '../../../src/warehouse/connect.ts'
import { thisProcess } from '../../../src/warehouse/holder.ts'
import { createTokenStore } from '../../../src/warehouse/ledger/tokens.ts'
import { type TestDatabase, testDatabase } from '../../helpers/database.ts'

let database: TestDatabase
let warehouse: Warehouse
beforeAll(async () => {
  database = await testDatabase()
  warehouse = connect({ url: database.url, frozenNow: Date.UTC(2026, 4, 1) })
})
afterAll(async () => {
  await warehouse.close()
  await database.drop()
})

const key = Buffer.alloc(32, 1)
const storeOf = (account: string, more: object = {}) =>
  createTokenStore(warehouse, { account, kind: 'oauth:app', key, ...more })
const token = { accessToken: 'canary-token', expiresAtMs: 1_800_000_000_000, scope: ['user:read'] }

describe('the token store', () => {
  it('has no token at first, and returns the saved one', async () => {
    const store = storeOf('a')
    expect(await store.read()).toBeUndefined()
    expect(await store.claimRenewal(0, 1000)).toBe(true)
    expect(await store.read()).toBeUndefined()
    expect(await store.save(token, 0)).toEqual({ ...token, version: 1 })
    expect(await storeOf('a').read()).toEqual({ ...token, version: 1 })
  })

  it('stores the tokens of accounts and apps separately', async () => {
    await storeOf('b').save(token, 0)
    expect(await storeOf('c').read()).toBeUndefined()
    expect(await storeOf('b', { kind: 'oauth:other' }).read()).toBeUndefined()
  })

  it('stores only ciphertext, a different one each time', async () => {
    const first = await sealed('d', 0)
    const second = await sealed('d', 1)
    expect(first.includes('canary')).toBe(false)
    expect(first.subarray(9).equals(second.subarray(9))).toBe(false)
    expect(first.length).toBe(1 + 8 + 12 + 16 + token.accessToken.length)
  })

  it('opens no token of another account, altered token, or token sealed with another key', async () => {
    await storeOf('e').save(token, 0)
    await storeOf('f').save(token, 0)
    await sql`update callsheet.tokens set ciphertext =
      (select ciphertext from callsheet.tokens where account = 'e') where account = 'f'`.execute(
      warehouse.db,
    )
    await expect(storeOf('f').read()).rejects.toMatchObject({ code: 'token_unreadable' })
    const other = storeOf('e', { key: Buffer.alloc(32, 2) })
    await expect(other.read()).rejects.toThrow('another key')
    expect(await storeOf('e').read()).toMatchObject(token)
    await sql`update callsheet.tokens set ciphertext = set_byte(ciphertext, 40, get_byte(ciphertext, 40) # 1)
      where account = 'e'`.execute(warehouse.db)
    await expect(storeOf('e').read()).rejects.toThrow('altered')
  })

  it('reads with the previous key after a rotation, and seals with the new one', async () => {
    await storeOf('g').save(token, 0)
    const rotated = storeOf('g', { key: Buffer.alloc(32, 3), previousKeys: [key] })
    expect(await rotated.read()).toMatchObject({ accessToken: 'canary-token' })
    await rotated.save(token, 1)
    await expect(storeOf('g').read()).rejects.toThrow('another key')
  })
})

describe('a token renewal', () => {
  it('is claimed by exactly one of many processes', async () => {
    const claims = Array.from({ length: 8 }, () => storeOf('h').claimRenewal(0, 30_000))
    expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1)
  })

  it('cannot be claimed for a version that has been replaced', async () => {
    await storeOf('i').save(token, 0)
    expect(await storeOf('i').claimRenewal(0, 1000)).toBe(false)
    expect(await storeOf('i').claimRenewal(1, 1000)).toBe(true)
  })

  it('is free again when its claim is released or has expired, even with a frozen clock', async () => {
    const [first, second] = [storeOf('j'), storeOf('j')]
    expect(await first.claimRenewal(0, 30_000)).toBe(true)
    await second.releaseClaim()
    expect(await second.claimRenewal(0, 30_000)).toBe(false)
    await first.releaseClaim()
    expect(await second.claimRenewal(0, 1)).toBe(true)
    await expect.poll(() => first.claimRenewal(0, 30_000)).toBe(true)
  })

  it('is free at once if a dead process had claimed it', async () => {
    await storeOf('k').claimRenewal(0, 30_000)
    const dead = JSON.stringify({ ...thisProcess(), started: 'earlier' })
    await sql`update callsheet.tokens set claimed_by = ${dead}::jsonb where account = 'k'`.execute(
      warehouse.db,
    )
    expect(await storeOf('k').claimRenewal(0, 30_000)).toBe(true)
  })

  it('returns the stored token if another process saved one first', async () => {
    await storeOf('l').save({ ...token, accessToken: 'winner' }, 0)
    const late = await storeOf('l').save({ ...token, accessToken: 'late' }, 0)
    expect(late).toMatchObject({ accessToken: 'winner', version: 1 })
  })
})

async function sealed(account: string, version: number): Promise<Buffer> {
  await storeOf(account).save(token, version)
  const { rows } = await sql<{ ciphertext: Buffer }>`
    select ciphertext from callsheet.tokens where account = ${account}`.execute(warehouse.db)
  return rows[0]?.ciphertext ?? Buffer.alloc(0)
}
