import { describe, expect, it } from 'vitest'
import { wholenessOf } from '../../../src/cli/mcp/wholeness.ts'
import { BLOCKS } from '../../docs/pages.ts'

const users = {
  account: 'main',
  table: 'users',
  state: 'whole',
  whole: true,
  complete_to: '2026-11-27T02:00:00Z',
  missing_parts: 0,
  quarantined: 0,
  deletions_held: 0,
  rows_kept: null,
}
const sessions = {
  ...users,
  table: 'session_reports',
  state: 'incomplete',
  whole: false,
  complete_to: '2026-11-26T02:10:31Z',
  missing_parts: 2,
}

describe('the first line of an answer', () => {
  it('is complete only if each table is whole in each account, as of the oldest reading', () => {
    const later = { ...users, account: 'other', complete_to: '2026-11-28T02:00:00Z' }
    expect(
      wholenessOf(['history_users', 'users', 'calendar'], [later, users], ['main', 'other']),
    ).toBe('complete as of 2026-11-27T02:00:00Z: all records of users that existed then were read.')
    expect(wholenessOf(['calendar', 'freshness'], [users], ['main'])).toBe('uses no synced table')
  })

  it.each([
    [
      'a table that is not whole',
      [users, sessions],
      ['main'],
      /session_reports of main: incomplete, 2 days/,
    ],
    [
      'a configured account without a reading',
      [users],
      ['main', 'b'],
      /users of b: no complete reading/,
    ],
    ['no reading at all', [], ['main'], /users of main: no complete reading/],
    [
      'quarantined records',
      [{ ...users, whole: false, quarantined: 3 }],
      ['main'],
      /3 records quarantined/,
    ],
    [
      'held deletions',
      [{ ...users, whole: false, deletions_held: 4 }],
      ['main'],
      /4 deletions held back/,
    ],
  ])('begins with incomplete for %s', (_what, rows, accounts, reason) => {
    const first = wholenessOf(['users', ...rows.map(({ table }) => table)], rows, accounts)
    expect(first).toMatch(/^incomplete: /)
    expect(first).toMatch(reason)
  })

  it('is as docs/monitor.md shows it', () => {
    const shown = BLOCKS.find(
      ({ page, language }) => page === 'docs/monitor.md' && language === 'text',
    )
    expect(shown?.text.split('\n')[0]).toBe(wholenessOf(['session_reports'], [sessions], ['main']))
  })
})
