import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createAccountToken } from '../../src/api/auth/account-token.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { createCipher } from '../../src/warehouse/ledger/token-cipher.ts'
import { createTokenStore } from '../../src/warehouse/ledger/tokens.ts'
import { useWarehouse } from '../helpers/database.ts'

const [key, newKey, wrongKey] = [randomBytes(32), randomBytes(32), randomBytes(32)]
const context = ['main', 'oauth:app']
let warehouse: Warehouse
useWarehouse((opened) => {
  warehouse = opened
})

describe('a sealed token', () => {
  const cipher = createCipher({ key, context })

  it('uses a new nonce each time, and reveals only the token’s length', () => {
    const sealed = Array.from({ length: 2_000 }, () => cipher.seal('canary-token'))
    const nonces = sealed.map((one) => one.subarray(9, 21).toString('hex'))
    expect(new Set(nonces).size).toBe(2_000)
    expect(sealed.every((one) => !one.includes('canary') && one.length === 37 + 12)).toBe(true)
    expect(sealed.every((one) => cipher.open(one) === 'canary-token')).toBe(true)
  })

  it('does not open if any bit is flipped or bytes are missing', () => {
    const sealed = cipher.seal('canary-token')
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const turned = Buffer.from(sealed)
      turned[bit >> 3] = (turned[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(() => cipher.open(turned)).toThrow(/altered|another key/)
    }
    for (const length of [0, 8, 20, 36, sealed.length - 1])
      expect(() => cipher.open(sealed.subarray(0, length))).toThrow(/altered|another key/)
  })

  it.each([[['other', 'oauth:app']], [['main', 'oauth:other']], [['main', 'oauth:app', '']]])(
    'does not open as the token of %j',
    (other) => {
      const sealed = cipher.seal('canary-token')
      expect(() => createCipher({ key, context: other }).open(sealed)).toThrow('another account')
    },
  )
})

describe('a stored token', () => {
  it('is neither renewed nor overwritten if the key is wrong', async () => {
    await storeOf(key).save(token('first'), 0)
    const before = await row()
    let asked = 0
    const bearer = bearerOf(wrongKey, () => asked++)
    await expect(bearer.current()).rejects.toMatchObject({ code: 'token_unreadable' })
    await expect(bearer.replace(1, true)).rejects.toMatchObject({ code: 'token_unreadable' })
    expect(asked).toBe(0)
    expect(await row()).toEqual(before)
  })

  it('is read with the old key after a rotation, and renewed under the new one', async () => {
    const rotated = bearerOf(newKey, undefined, [key])
    expect((await rotated.current()).value).toBe('first')
    const id = (await row()).ciphertext.subarray(1, 9)
    expect((await rotated.replace(1, false)).value).toBe('renewed')
    const renewed = await row()
    expect(renewed.ciphertext.subarray(1, 9).equals(id)).toBe(false)
    expect((await bearerOf(newKey).current()).value).toBe('renewed')
    await expect(bearerOf(key).current()).rejects.toMatchObject({ code: 'token_unreadable' })
  })

  it('does not appear in a dump of the database, and neither does any key', async () => {
    const { rows } = await sql<{ name: string }>`
      select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = relnamespace
      where n.nspname = 'callsheet' and relkind in ('r', 'p')`.execute(warehouse.db)
    expect(rows.map(({ name }) => name)).toContain('callsheet.tokens')
    let dumped = ''
    for (const { name } of rows) {
      const held = await sql<{ text: string }>`
        select t::text as text from ${sql.table(name)} t`.execute(warehouse.db)
      dumped += held.rows.map(({ text }) => text).join('\n')
    }
    expect(dumped).toContain('oauth:app')
    for (const secret of ['first', 'renewed'])
      for (const spelled of [secret, Buffer.from(secret).toString('hex')])
        expect(dumped).not.toContain(spelled)
    for (const one of [key, newKey])
      for (const encoding of ['hex', 'base64', 'base64url'] as const)
        expect(dumped).not.toContain(one.toString(encoding))
  })
})

function token(accessToken: string) {
  return { accessToken, expiresAtMs: Date.now() + 3_600_000, scope: [] }
}

function storeOf(own: Buffer, previousKeys: readonly Buffer[] = []) {
  return createTokenStore(warehouse, { account: 'main', kind: 'oauth:app', key: own, previousKeys })
}

function bearerOf(own: Buffer, onAsked?: () => void, previousKeys: readonly Buffer[] = []) {
  return createAccountToken({
    store: storeOf(own, previousKeys),
    clock: systemClock,
    observer: silentObserver,
    request: async () => {
      onAsked?.()
      return { accessToken: 'renewed', expiresInSeconds: 3600, scope: [] }
    },
    loginWith: 'callsheet login',
  })
}

async function row(): Promise<{ ciphertext: Buffer; version: number; expires_at: string }> {
  const { rows } = await sql<{ ciphertext: Buffer; version: number; expires_at: string }>`
    select ciphertext, version, expires_at from callsheet.tokens`.execute(warehouse.db)
  return rows[0]!
}
