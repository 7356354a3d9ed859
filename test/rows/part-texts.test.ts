import { describe, expect, it } from 'vitest'
import { wholenessOf } from '../../src/cli/mcp/wholeness.ts'
import { isWithheld, policyText } from '../../src/report/policy-text.ts'
import { userDetails } from '../../src/resources/user-details.ts'
import { users } from '../../src/resources/users.ts'
import { partKept } from '../../src/warehouse/keep-out/row-parts.ts'

const TEXT = 'users where dept is Sales'
const since = '2026-07-08T02:30:00+00:00'
const part = { stream: 'users', fields: { dept: ['Sales'] }, text: TEXT, whole: true, since }
const LATER_MS = Date.parse(since) + 1

describe('the part that an account keeps', () => {
  it('applies to the details of its stream, and to no other stream', () => {
    expect(partKept([part], userDetails, LATER_MS)).toEqual({ text: TEXT, read: true })
    expect(partKept([{ ...part, stream: 'phone_numbers' }], users, LATER_MS)).toBeUndefined()
  })

  it.each([
    ['since it was read', part, LATER_MS, { text: TEXT, read: true }],
    ['before it was read', { ...part, whole: false }, LATER_MS, { text: TEXT, read: false }],
    [
      'before it was set',
      part,
      Date.parse(since) - 1,
      { text: `${TEXT} since 2026-07-08T02:30:00.000Z, others before`, read: true },
    ],
    ['once all rows are kept again', { ...part, fields: {} }, LATER_MS, undefined],
    [
      'until all rows are read again',
      { ...part, fields: {}, text: 'all users', whole: false },
      LATER_MS,
      { text: 'all users', read: false },
    ],
  ])('is described in the right words %s', (_, stored, atMs, kept) => {
    expect(partKept([stored], users, atMs)).toEqual(kept)
  })

  it('is named by reports, which are then not green', () => {
    const coverage = [
      { part: { text: TEXT, read: true } },
      { part: { text: TEXT, read: true } },
      {},
    ]
    expect(policyText(coverage)).toBe(` Only a part of the account is kept: ${TEXT}.`)
    expect([isWithheld(coverage), isWithheld([{}])]).toEqual([true, false])
  })

  it('is named in answers to SQL queries', () => {
    const freshness = {
      account: 'main',
      table: 'users',
      state: 'whole',
      whole: true,
      quarantined: 0,
    }
    const rest = { complete_to: '2026-07-08T02:30:00Z', missing_parts: 0, deletions_held: 0 }
    expect(wholenessOf(['users'], [{ ...freshness, ...rest, rows_kept: TEXT }], ['main'])).toBe(
      'complete as of 2026-07-08T02:30:00Z: all records of users that existed then were read. ' +
        `Only a part is kept: ${TEXT}.`,
    )
  })
})
