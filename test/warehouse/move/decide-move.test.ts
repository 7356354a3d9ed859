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

describe('the state of the two databases decides the next step of a move:', () => {
  it.each<[string, AccountThere, AccountThere, MoveStep]>([
    ['neither has rows', none, none, 'nowhere'],
    ['the target has a lease, but no rows', held('a'), { ...none, marks: ['x'] }, 'copy'],
    ['only the source has rows', held('b', 'a'), none, 'copy'],
    ['the source has rows, but no marks yet', held(), none, 'copy'],
    ['the move was killed after the copy', held('b', 'a'), held('b', 'a'), 'clean'],
    [
      'the move was killed after the copy, and the target was used since',
      held('b', 'a'),
      held('c', 'b', 'a'),
      'clean',
    ],
    [
      'the move was killed while it removed rows',
      left(held('b', 'a')),
      held('c', 'b', 'a'),
      'clean',
    ],
    ['the move is complete', { ...left(held('b', 'a')), rows: false }, held('b', 'a'), 'moved'],
    ['only the target has rows', none, held('a'), 'moved'],
    [
      'the account moves back, but rows of the first move remain',
      held('c', 'b', 'a'),
      left(held('b', 'a')),
      'stale',
    ],
    [
      'the account moves back after a complete move',
      held('c', 'b'),
      { ...left(held('b', 'a')), rows: false },
      'copy',
    ],
    ['both were used since they were equal', held('c', 'a'), held('b', 'a'), 'diverged'],
    ['both were used, and have no mark in common', held('b'), held('a'), 'diverged'],
    ['both have rows without marks', held(), held(), 'diverged'],
    [
      'the source says that the account moved, but the target is empty',
      left(held('b', 'a')),
      none,
      'away',
    ],
  ])('%s', (_what, source, target, step) => {
    expect(decideMove({ source, target, contained: true })).toBe(step)
  })

  it('both have diverged if the target has the newest mark, but not the last run and entry', () => {
    const facts = { source: held('b', 'a'), target: held('b', 'a'), contained: false }
    expect(decideMove(facts)).toBe('diverged')
  })
})
