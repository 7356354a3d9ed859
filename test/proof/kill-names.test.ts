import { expect, it } from 'vitest'
import { POINTS } from '../helpers/kill-points.ts'
import { nameSums } from './kill/name-sums.ts'

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((all, one) => all + one, 0)

it('the count of killed failpoints includes only those at which a process died', () => {
  const none = nameSums(new Set())
  expect(none).toMatchObject({ names: POINTS.length, namesKilled: 0 })
  expect(none.namesElsewhere).toMatchObject({ prune: 6, logout: 4, download: 2 })
  expect(none.namesMissed).toContain('commit:after')
  expect(none.namesMissed.filter((name) => name.startsWith('prune:'))).toEqual([])
  expect(sum(none.namesElsewhere) + none.namesMissed.length).toBe(POINTS.length)

  const some = nameSums(new Set(['commit:after', 'prune:marked']))
  expect(some.namesKilled).toBe(2)
  expect(some.namesElsewhere.prune).toBe(5)
  expect(some.namesMissed).toEqual(none.namesMissed.filter((name) => name !== 'commit:after'))

  const all = nameSums(new Set(POINTS))
  expect(all).toEqual({
    names: POINTS.length,
    namesKilled: POINTS.length,
    namesElsewhere: {},
    namesMissed: [],
  })
})
