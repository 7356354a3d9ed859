import { describe, expect, it } from 'vitest'
import {
  checkpointNote,
  cosignatureNote,
  goesOn,
  isAfter,
  originAfter,
  originOf,
  placeOf,
  placeOfNote,
} from '../../../src/evidence/log/checkpoint.ts'

const first = originOf('main')
const second = originAfter({ origin: first, size: 12 })
const third = originAfter({ origin: second, size: 12 })

describe('a log’s name', () => {
  it('changes each time checkpoints were lost', () => {
    expect([first, second, third]).toEqual([
      'callsheet/main',
      'callsheet/main/after-12',
      'callsheet/main/after-12/after-12',
    ])
    expect(originOf('a/after-1')).toBe('callsheet/a%2Fafter-1')
  })

  it.each([
    [first, first, true],
    [second, first, true],
    [third, first, true],
    [third, second, true],
    [first, second, false],
    ['callsheet/main2', first, false],
    ['callsheet/main/after-012', first, false],
    ['callsheet/main/after-1x', first, false],
    ['callsheet/main/later', first, false],
  ])('shows whether log %s continues log %s: %s', (origin, before, expected) => {
    expect(goesOn(origin, before)).toBe(expected)
  })
})

describe('the store’s note of a checkpoint', () => {
  it.each([
    [first, 7, 'checkpoint-000007', [7]],
    [second, 8, 'checkpoint-000012-000008', [12, 8]],
    [third, 1_234_567, 'checkpoint-000012-000012-1234567', [12, 12, 1_234_567]],
    [originOf('after-5'), 0, 'checkpoint-000000', [0]],
  ])('of %s over %i entries is called %s', (origin, size, name, place) => {
    expect(checkpointNote({ origin, size })).toBe(name)
    expect(placeOf({ origin, size })).toEqual(place)
    expect(placeOfNote(name)).toEqual(place)
    expect(placeOfNote(cosignatureNote({ origin, size }, '0a1b2c3d'))).toBeUndefined()
  })

  it('is distinguished from other notes by its name', () => {
    for (const name of ['checkpoint-7', 'checkpoint-', 'checkpoint-000007.json', 'erased-000007'])
      expect(placeOfNote(name)).toBeUndefined()
  })

  it.each([
    [[8], [7], true],
    [[7], [7], false],
    [[12, 3], [99], true],
    [[99], [12, 3], false],
    [[12, 4], [12, 3], true],
  ])('has an order by its place: %j is after %j: %s', (one, other, expected) => {
    expect(isAfter(one, other)).toBe(expected)
  })
})
