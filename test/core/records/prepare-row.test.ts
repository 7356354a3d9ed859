import { describe, expect, it } from 'vitest'
import { nestedItems } from '../../../src/core/records/prepare-row.ts'
import { doubtOf } from '../../../src/warehouse/load/nested-lists.ts'

describe('a nested list, compared with its stored rows,', () => {
  const list = {
    given: true,
    listed: 3,
    held: 3,
    steady: false,
    counted: undefined,
    listedInAll: 3,
  }
  it.each([
    ['as long as the stored one', {}, undefined],
    ['longer, with unchanged measures', { listed: 4, listedInAll: 4, steady: true }, undefined],
    ['with one record replaced', { steady: true }, undefined],
    ['shorter, with changed measures', { listed: 2, listedInAll: 2 }, undefined],
    ['shorter, with unchanged measures', { listed: 2, steady: true }, 'contradicted'],
    ['empty, with unchanged measures', { listed: 0, steady: true }, 'contradicted'],
    ['empty, without measures', { listed: 0, listedInAll: 0 }, 'emptied'],
    ['empty as before', { listed: 0, listedInAll: 0, held: 0 }, undefined],
    ['empty, with a count of 0', { listed: 0, listedInAll: 0, counted: 0n }, 'emptied'],
    ['empty, with a count of 3', { listed: 0, listedInAll: 0, counted: 3n }, 'contradicted'],
    [
      'empty in a new record, with a count of 1',
      { listed: 0, listedInAll: 0, held: 0, counted: 1n },
      'contradicted',
    ],
    [
      'empty, with a count of records in another list',
      { listed: 0, listedInAll: 2, counted: 2n },
      'emptied',
    ],
    [
      'shorter than a count that includes other records',
      { listed: 2, listedInAll: 2, counted: 5n },
      undefined,
    ],
    ['absent, with stored rows', { given: false, listed: 0, listedInAll: 0 }, 'absent'],
    [
      'absent, without stored rows',
      { given: false, listed: 0, listedInAll: 0, held: 0 },
      undefined,
    ],
    ['absent, with unchanged measures', { given: false, listed: 0, steady: true }, 'contradicted'],
  ])('is trusted or doubted: %s', (_name, given, doubt) => {
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
])('a nested list that is %j counts as given: %s, with %i items', (value, given, count) => {
  const list = nestedItems(value)
  expect([list.given, list.items.length]).toEqual([given, count])
})
