import { describe, expect, it } from 'vitest'
import { orderByDeadline, rankOf } from '../../src/archive/archive-order.ts'
import type { ArchiveSession } from '../../src/archive/sql/session-facts.ts'

const one = (session: string, expiresAtMs: number, changes = {}): ArchiveSession => ({
  session,
  whiteboard: undefined,
  label: undefined,
  outsiders: false,
  expiresAtMs,
  ...changes,
})
const rules = [
  { whiteboards: ['wb-board'] },
  { labels: ['Confidential', 'Secret'] },
  { outsiders: true as const },
]
const sessions = [
  one('plain', 1),
  one('outsiders', 5, { outsiders: true }),
  one('label', 4, { label: 'Secret', outsiders: true }),
  one('board', 9, { whiteboard: 'wb-board' }),
  one('other', 2, { whiteboard: 'wb-9', label: 'Public' }),
  one('outsiders-2', 3, { outsiders: true }),
]
const names = (list: readonly ArchiveSession[]) => list.map(({ session }) => session)

describe('the order of archives', () => {
  it('is only by deadline while the quota suffices', () => {
    expect(names(orderByDeadline(sessions, { rules, suffices: true }))).toEqual([
      'plain',
      'other',
      'outsiders-2',
      'label',
      'outsiders',
      'board',
    ])
  })

  it('is by the first matching priority rule, then by deadline, if the quota is too small', () => {
    expect(names(orderByDeadline(sessions, { rules, suffices: false }))).toEqual([
      'board',
      'label',
      'outsiders-2',
      'outsiders',
      'plain',
      'other',
    ])
    expect(sessions.map((session) => rankOf(session, rules))).toEqual([3, 2, 1, 0, 3, 2])
  })

  it('does not depend on the order of the input', () => {
    const same = [one('b', 1), one('a', 1), one('c', 1)]
    const order = names(orderByDeadline(same, { rules: [], suffices: false }))
    expect(order).toEqual(['a', 'b', 'c'])
    expect(names(orderByDeadline(same.toReversed(), { rules: [], suffices: true }))).toEqual(order)
  })
})
