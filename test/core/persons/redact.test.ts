import { describe, expect, it } from 'vitest'
import { identityOf, nameOf, tokenOf } from '../../../src/core/persons/identity.ts'
import { redactRecord, redactValue } from '../../../src/core/persons/redact.ts'
import { type Suppression, suppressionOf } from '../../../src/core/persons/suppression.ts'
import { parseLossless } from '../../../src/core/values/json.ts'
import { phoneNumbers } from '../../../src/resources/phone-numbers.ts'
import { users } from '../../../src/resources/users.ts'
import { whiteboardSessions } from '../../../src/resources/whiteboard-archives.ts'

const key = Buffer.alloc(32, 7)
const listed = (
  persons: readonly string[],
  names: readonly string[] = [],
  counts: 'beside' | 'everywhere' = 'beside',
): Suppression =>
  suppressionOf({
    key,
    persons: new Set(persons.map((text) => tokenOf(key, identityOf(text)))),
    names: new Map(names.map((text) => [tokenOf(key, nameOf(text)), counts])),
  })
const context = { ordinal: 0, filter: {} }
const ANNA = 'Anna.Jones@Example.com'
const anna = listed(['user-anna', ANNA], ['Anna Jones'])

describe('a record in an erasure', () => {
  it.each([
    ['by the ID', { id: 'user-anna', email: 'new@example.com' }],
    ['by the address in any case', { id: null, email: 'ANNA.JONES@EXAMPLE.COM' }],
    [
      'by address and name, though the ID is new',
      { id: 'u-9', email: ANNA, display_name: 'Anna Jones' },
    ],
    [
      'by address and by first and last name',
      { id: 'u-9', email: ANNA, first_name: 'Anna', last_name: 'Jones' },
    ],
    ['by the address that is used as an ID', { email: ANNA, status: 'pending' }],
  ])('belongs to the person that its subject names %s', (_how, record) => {
    expect(redactRecord(users, record, { suppression: anna, context })).toEqual({
      verdict: 'about',
    })
  })

  it.each([
    ['another ID', { id: 'user-annab', email: 'anna.jones@example.com.au' }],
    ['the ID in another case', { id: 'USER-ANNA', email: 'x@y.z' }],
    ['only the name', { id: 'user-3', email: 'x@y.z', display_name: 'Anna Jones' }],
    ['the address within a longer address', { id: 'user-3', email: 'joanna.jones@example.com' }],
  ])('stays identical if it contains only %s', (_what, record) => {
    const redaction = redactRecord(users, record, { suppression: anna, context })
    expect(redaction).toEqual({ verdict: 'untouched' })
    expect(redactValue(users, record, { suppression: anna })).toBe(record)
  })

  it('loses only the list entries that name the person', () => {
    const others = [{ user_id: 'user-2', user_name: 'Anna Jones' }, { user_name: 'Guest' }]
    const record = {
      id: 's-1',
      regulated_participants: [others[0], { user_id: 'user-anna', user_name: 'Anna' }, others[1]],
      invited: ['user-2', ANNA],
    }
    expect(redactRecord(whiteboardSessions, record, { suppression: anna, context })).toEqual({
      verdict: 'named',
      record: { id: 's-1', regulated_participants: others, invited: ['user-2'] },
    })
  })

  it("loses fields that name the person, and next to these also fields with the person's name", () => {
    const record = {
      id: 'n-1',
      number: '+1',
      display_name: 'anna  jones',
      caller_id_name: 'Desk',
      note: `ask ${ANNA}, or Bob`,
      owner: { id: 'user-anna', since: 1 },
      contact: ANNA,
      assigned_list: [{ assigned_to_id: 'user-anna' }],
    }
    expect(redactRecord(phoneNumbers, record, { suppression: anna, context })).toEqual({
      verdict: 'named',
      record: {
        id: 'n-1',
        number: '+1',
        display_name: null,
        caller_id_name: 'Desk',
        note: 'ask , or Bob',
        owner: null,
        contact: null,
        assigned_list: [],
      },
    })
  })

  it('of another person loses only the erased person’s email address', () => {
    const record = { id: 'user-2', email: ANNA, display_name: 'Bob' }
    expect(redactRecord(users, record, { suppression: anna, context })).toEqual({
      verdict: 'named',
      record: { ...record, email: null },
    })
  })

  it.each([
    [`${ANNA}, jo${ANNA}`, `, jo${ANNA}`],
    [`${ANNA}|bob@example.com.`, '|bob@example.com.'],
    [`<mailto:${ANNA}?subject=x>`, '<mailto:?subject=x>'],
    [`'${ANNA}' wrote to x=${ANNA}.`, `'' wrote to x=.`],
    [`x+${ANNA}`, undefined],
    [`${ANNA}.au`, undefined],
    ['https://svc.example/p/user-anna/2', 'https://svc.example/p//2'],
    ['user-anna2 and my-user-anna', undefined],
    [`o'neil.ö@exämple.com, neil.ö@exämple.com`, ', neil.ö@exämple.com'],
  ])('loses the person from %s, but nobody else', (text, left) => {
    const suppression = listed([ANNA, 'user-anna', `O'Neil.Ö@exämple.com`])
    expect(redactValue({ personal: [] }, { text }, { suppression })).toEqual({ text: left ?? text })
  })

  it('is searched in linear time, even if it contains a very long text', () => {
    const text = `${'x'.repeat(2_000_000)} ${'@'.repeat(2_000)} ${ANNA}`
    const before = process.cpuUsage().user
    const left = redactValue({ personal: [] }, [text, 'x'], { suppression: anna })
    expect(process.cpuUsage().user - before).toBeLessThan(3_000_000)
    expect(String((left as string[])[0]).endsWith('@ ')).toBe(true)
  })

  it('loses a name without an ID or address next to it only if the erasure is by name', () => {
    const record = { id: 'b-1', created_by_display_name: 'Anna Jones', text: 'Anna Jones' }
    const stream = { personal: ['created_by_display_name'] }
    expect(redactValue(stream, record, { suppression: anna })).toBe(record)
    const everywhere = listed(['user-anna'], ['Anna Jones'], 'everywhere')
    expect(redactValue(stream, record, { suppression: everywhere })).toEqual({
      id: 'b-1',
      created_by_display_name: null,
      text: 'Anna Jones',
    })
  })

  it('is matched by a numeric ID only in ID fields, and keeps all digits of other numbers', () => {
    const text = '{"owner_id":12345678901234567890,"size":12345678901234567890,"n":1}'
    const suppression = listed(['12345678901234567890'])
    const left = redactValue({ personal: [] }, parseLossless(text), { suppression })
    expect(JSON.stringify(left)).toBe('{"owner_id":null,"size":12345678901234567890,"n":1}')
  })

  it('can name a person by a property name, and need not be an object', () => {
    const suppression = anna
    const personal = { personal: [] }
    expect(redactValue(personal, { seen: { [ANNA]: 1, other: 2 } }, { suppression })).toEqual({
      seen: { other: 2 },
    })
    expect(redactValue(personal, ANNA, { suppression })).toBeNull()
    expect(redactValue(personal, ['x', ANNA], { suppression })).toEqual(['x'])
    expect(redactValue(personal, null, { suppression })).toBeNull()
  })
})

describe('a text that is too short or too long', () => {
  it('identifies nobody', () => {
    const suppression = listed(['abc', 'x'.repeat(513)])
    expect(suppression.isPerson('abc')).toBe(false)
    expect(suppression.isPerson('x'.repeat(513))).toBe(false)
  })
})
