import { describe, expect, it } from 'vitest'
import { FingerprintTable } from '../../../src/core/records/fingerprint-table.ts'
import { keyHash } from '../../../src/core/records/record-key.ts'
import { users } from '../../../src/resources/users.ts'
import { take } from './take-page.ts'

const part = { dept: ['Sales'] }
const user = (id: string, dept: unknown, more: object = {}): string =>
  JSON.stringify({ id, email: `${id}@planted.example`, type: 1, status: 'active', dept, ...more })

function taken(records: readonly string[], table = new FingerprintTable()) {
  const text = `{"users": [${records.join(',')}], "next_page_token": ""}`
  return take(users, text, { part, table, filter: { status: 'active' } })
}

describe('reading a stream of which a part is kept', () => {
  it('counts a record outside the part, notes its key, and stores nothing of it', () => {
    const { batch, reading, shown, apart } = taken([user('u1', 'Sales'), user('u2', 'Support')])
    expect(reading).toMatchObject({ received: 2, fresh: 1, apart: 1, quarantined: 0, ignored: 0 })
    expect(shown.size).toBe(2)
    expect([apart.has(keyHash(['u1'])), apart.has(keyHash(['u2']))]).toEqual([false, true])
    expect(JSON.stringify(batch)).not.toContain('u2')
  })

  it.each([
    ['an unreadable value of the field', user('u2', { name: 'Sales' })],
    ['no key', JSON.stringify({ dept: 'Support', display_name: 'u2@planted.example' })],
    ['no object', '"u2@planted.example"'],
  ])('quarantines a record with %s, without its content', (_, record) => {
    const { batch, reading, apart } = taken([user('u1', 'Sales'), record])
    expect(reading).toMatchObject({ received: 2, fresh: 1, apart: 0, quarantined: 1 })
    expect(batch.quarantined.map(({ payload }) => payload)).toEqual([''])
    expect(apart.size).toBe(0)
    expect(JSON.stringify(batch)).not.toContain('planted.example"}')
  })

  it('counts a known row as missing once it is outside the part, and as present when it is back', () => {
    const table = new FingerprintTable()
    table.add(Buffer.concat([keyHash(['u1']), Buffer.alloc(16, 1)]))
    const out = taken([user('u1', 'Support')], table)
    expect(out.reading).toMatchObject({ apart: 1, changed: 0 })
    expect([table.missing(keyHash(['u1'])), out.apart.has(keyHash(['u1']))]).toEqual([true, true])
    const back = taken([user('u1', 'Sales')], table)
    expect(back.reading).toMatchObject({ apart: 0, changed: 1 })
    expect(table.countMissing()).toBe(0)
  })

  it('checks even an unchanged record against the part', () => {
    const table = new FingerprintTable()
    const first = take(users, `{"users": [${user('u1', 'Support')}]}`, { table })
    expect(first.reading).toMatchObject({ fresh: 1 })
    table.forgetSeen()
    expect(taken([user('u1', 'Support')], table).reading).toMatchObject({ apart: 1, unchanged: 0 })
  })

  it('counts a hollow record as quarantined and hollow', () => {
    expect(taken(['null', '{}']).reading).toMatchObject({ quarantined: 2, hollow: 2, apart: 0 })
  })
})
