import { describe, expect, it } from 'vitest'
import { nestedItems } from '../../../src/core/records/prepare-row.ts'
import { doubtOf } from '../../../src/warehouse/load/nested-lists.ts'

describe('whether a nested list proves that rows are gone which it does not show', () => {
  const list = {
    given: true,
    listed: 3,
    held: 3,
    steady: false,
    counted: undefined,
    listedInAll: 3,
  }
  it.each([
    ['as long as what is held', {}, undefined],
    ['longer, though its measures stayed', { listed: 4, listedInAll: 4, steady: true }, undefined],
    ['with another record in place of one', { steady: true }, undefined],
    ['shorter, and so are its measures', { listed: 2, listedInAll: 2 }, undefined],
    ['shorter, while its measures stayed', { listed: 2, steady: true }, 'contradicted'],
    ['empty, while its measures stayed', { listed: 0, steady: true }, 'contradicted'],
    ['empty, where nothing measures it', { listed: 0, listedInAll: 0 }, 'emptied'],
    ['empty as before', { listed: 0, listedInAll: 0, held: 0 }, undefined],
    ['empty beside a count of 0', { listed: 0, listedInAll: 0, counted: 0n }, 'emptied'],
    ['empty beside a count', { listed: 0, listedInAll: 0, counted: 3n }, 'contradicted'],
    [
      'empty of a new record with a count',
      { listed: 0, listedInAll: 0, held: 0, counted: 1n },
      'contradicted',
    ],
    [
      'empty beside a count of records that stand in another list',
      { listed: 0, listedInAll: 2, counted: 2n },
      'emptied',
    ],
    [
      'shorter than a count of other records too',
      { listed: 2, listedInAll: 2, counted: 5n },
      undefined,
    ],
    ['left out, with rows held', { given: false, listed: 0, listedInAll: 0 }, 'absent'],
    [
      'left out, with nothing held',
      { given: false, listed: 0, listedInAll: 0, held: 0 },
      undefined,
    ],
    [
      'left out, while its measures stayed',
      { given: false, listed: 0, steady: true },
      'contradicted',
    ],
  ])('%s', (_name, given, doubt) => {
    expect(doubtOf({ ...list, ...given })).toBe(doubt)
  })
})

it.each([
  [undefined, false, 0],
  [null, false, 0],
  ['', false, 0],
  [{}, false, 0],
  [[], true, 0],
  [[{ id: 1 }], true, 1],
  [{ id: 1 }, true, 1],
  ['none', true, 1],
  [0, true, 1],
  [false, true, 1],
])('%j in the place of a list: given is %s, with %i items', (value, given, count) => {
  const list = nestedItems(value)
  expect([list.given, list.items.length]).toEqual([given, count])
})
