import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { jobs } from '../../../src/account/catalog.ts'
import { WORD_FIELDS } from '../../../src/core/define/word-fields.ts'
import { NEUTRAL_WORDS, wordsOf } from '../../../src/core/notifications/words.ts'
import {
  neutralEvent,
  neutralHeaders,
  speaksWords,
  translated,
} from '../../../src/core/records/translate.ts'
import { operations } from '../../../src/resources/declared.ts'
import { listPhoneNumbers } from '../../../src/resources/phone-numbers.ts'
import { getWhiteboardContent } from '../../../src/resources/whiteboard-content.ts'

const acme = wordsOf({ svc: 'acme', SvcReserved: 'AcmeHeld', 'x-svc-signature': 'x-ac-sign' })!

describe('the terms of a service', () => {
  it('are derived from one configured name, unless they are configured one by one', () => {
    const own = (word: string) => acme.own(word)
    expect(
      ['SVC_PHONE', 'SVC_PHONE_USER_ONLY', 'Svc', 'SvcPorted', 'SvcReserved'].map(own),
    ).toEqual(['ACME_PHONE', 'ACME_PHONE_USER_ONLY', 'Acme', 'AcmePorted', 'AcmeHeld'])
    expect(['svcroom.alert', 'x-svc-trackingid', 'x-svc-signature'].map(own)).toEqual([
      'acmeroom.alert',
      'x-acme-trackingid',
      'x-ac-sign',
    ])
    expect(wordsOf({ svc: 'AcmeCloud' })?.own('SvcPorted')).toBe('AcmeCloudPorted')
    for (const word of NEUTRAL_WORDS) expect(acme.neutral(acme.own(word))).toBe(word)
  })

  it('do not differ from the documents unless configured', () => {
    expect(wordsOf({})).toBeUndefined()
    expect(wordsOf({ svc: 'svc' })?.inFields).toEqual([])
  })

  it('cover every neutral term in the fields of streams and operations', () => {
    const columns = jobs.flatMap(({ streams }) =>
      streams.flatMap(({ columns: all, operation }) =>
        Object.entries(all).map(([name, { known = [] }]) => ({ name, known, operation })),
      ),
    )
    const spoken = columns.filter(({ known }) => known.some((word) => SUCH.test(String(word))))
    expect(spoken.length).toBeGreaterThan(8)
    for (const { name, known, operation } of spoken) {
      expect(speaksWords(operation)).toBe(true)
      expect(WORD_FIELDS[name]).toEqual(known)
    }
    const asked = operations.flatMap(({ query, body = z.unknown() }) =>
      [query, body].flatMap((schema) => {
        const text = JSON.stringify(z.toJSONSchema(schema, { unrepresentable: 'any' }))
        return text.match(/"\w*svc\w*"/gi) ?? []
      }),
    )
    expect(asked.length).toBeGreaterThan(8)
    for (const word of asked) expect(NEUTRAL_WORDS).toContain(JSON.parse(word))
  })

  it('are translated only in word fields, at any depth, and only in number management', () => {
    const said = {
      allocated_product: 'ACME_PHONE',
      display_name: 'ACME_PHONE',
      source: 'Acme',
      assigned_list: [{ assigned_to_type: 'User', assigned_to_name: 'Acme' }],
      number_source: ['AcmeHeld', 'Svc', 'ACME_PHONE'],
    }
    expect(translated(listPhoneNumbers, acme.neutral, said)).toEqual({
      ...said,
      allocated_product: 'SVC_PHONE',
      source: 'Svc',
      number_source: ['SvcReserved', 'Svc', 'ACME_PHONE'],
    })
    expect(translated(getWhiteboardContent, acme.neutral, said)).toBe(said)
  })

  it('translate the names of events, whole or by prefix, and of headers', () => {
    expect(neutralEvent(acme, 'acmeroom.alert')).toBe('svcroom.alert')
    expect(neutralEvent(acme, 'acmeroom.new_thing')).toBe('svcroom.new_thing')
    expect(neutralEvent(acme, 'workspace.created')).toBe('workspace.created')
    const rooms = wordsOf({ svcroom: 'acme_room', 'svcroom.alert': 'acme.alarm' })
    expect(['acme_room.created', 'acme.alarm'].map((name) => neutralEvent(rooms, name))).toEqual([
      'svcroom.created',
      'svcroom.alert',
    ])
    expect(neutralHeaders(acme, { 'x-ac-sign': 'a', date: 'b' })).toMatchObject({
      'x-svc-signature': 'a',
      date: 'b',
    })
  })
})

const SUCH = /svc|^Partner/i
