import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { READINGS } from '../../src/sandbox/readings/readings.ts'
import { type TestDatabase, testDatabase } from '../helpers/database.ts'
import { type Probed, probeWith } from './probe-stage.ts'

let database: TestDatabase
let unnamed: Probed
let named: Probed
beforeAll(async () => {
  database = await testDatabase()
  const own = { readings: { words: 'own' }, databaseUrl: database.url } as const
  unnamed = await probeWith(own)
  const { account = {} } = READINGS.words.variants.own.told?.adopt ?? {}
  named = await probeWith({ ...own, account })
})
afterAll(() => database.drop())

describe('the probe of the words that a service uses', () => {
  it('finds those that are not of the documents, and proposes what was seen of them', () => {
    expect(unnamed.of('words')).toMatchObject({
      verdict: 'differs',
      found: expect.stringContaining('ACME_PHONE in place of SVC_PHONE'),
      settings: { words: { svc: 'acme' } },
    })
    expect(unnamed.of('page-size.sip_groups').found).toContain('is not valid')
  })

  it('holds once they are named', () => {
    expect(named.of('words').verdict).toBe('holds')
    expect(named.of('page-size.sip_groups').verdict).not.toBe('not allowed')
    expect(named.of('tracking-id').verdict).toBe('holds')
    expect(unnamed.of('tracking-id').verdict).toBe('differs')
  })
})
