import { describe, expect, it } from 'vitest'
import {
  type AccountThere,
  decideMove,
  type MoveStep,
} from '../../../src/warehouse/move/decide-move.ts'

/** Marks, newest first: `a` is the oldest. */
const none: AccountThere = { rows: false, marks: [], movedTo: null }
const held = (...marks: string[]): AccountThere => ({ rows: true, marks, movedTo: null })
const left = (one: AccountThere): AccountThere => ({ ...one, movedTo: 'east' })

describe('what is left to do of a move follows from the two databases:', () => {
  it.each<[string, AccountThere, AccountThere, MoveStep]>([
    ['nothing anywhere', none, none, 'nowhere'],
    ['a lease in the target, but no rows', held('a'), { ...none, marks: ['x'] }, 'copy'],
    ['the source alone has rows', held('b', 'a'), none, 'copy'],
    ['rows from before the first work', held(), none, 'copy'],
    ['killed after the copy', held('b', 'a'), held('b', 'a'), 'clean'],
    [
      'killed after the copy, and the target was used',
      held('b', 'a'),
      held('c', 'b', 'a'),
      'clean',
    ],
    ['killed while rows were removed', left(held('b', 'a')), held('c', 'b', 'a'), 'clean'],
    ['all is done', { ...left(held('b', 'a')), rows: false }, held('b', 'a'), 'moved'],
    ['only the target has rows', none, held('a'), 'moved'],
    ['back, but the first move was not ended', held('c', 'b', 'a'), left(held('b', 'a')), 'stale'],
    ['back, after it was', held('c', 'b'), { ...left(held('b', 'a')), rows: false }, 'copy'],
    ['both were used', held('c', 'a'), held('b', 'a'), 'diverged'],
    ['both were used, and have nothing in common', held('b'), held('a'), 'diverged'],
    ['rows without marks in both', held(), held(), 'diverged'],
    ['a remainder whose copy is gone', left(held('b', 'a')), none, 'away'],
  ])('%s', (_what, source, target, step) => {
    expect(decideMove({ source, target, contained: true })).toBe(step)
  })

  it('a target with the newest mark, but without the last run or entry, continues nothing', () => {
    const facts = { source: held('b', 'a'), target: held('b', 'a'), contained: false }
    expect(decideMove(facts)).toBe('diverged')
  })
})
