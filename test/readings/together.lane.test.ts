import { describe, expect, it } from 'vitest'
import { WHOLE } from '../helpers/whole.ts'
import { ALONE } from './cases.ts'
import { coveringRows } from './covering.ts'
import { APART, FEW, GREEN } from './green.ts'
import { syncUnder } from './readings-stage.ts'

/** Many ways at once, so that each two of readings of few ways meet in one of them; all at night. */
const MIXTURES = coveringRows(GREEN, { apart: APART, ...(WHOLE ? {} : { mostWays: FEW }) })
/** The ways of which a mixture made the tables equal. */
const shown = new Set<string>()

describe('a whole sync', () => {
  it.each(MIXTURES.map((row, at) => [at + 1, row] as const))(
    'under mixture %i makes the tables equal to the service, or is not green and says why',
    async (_number, row) => {
      const { green, said, falselyWhole, ...found } = await syncUnder(row)
      expect({ falselyWhole, row }).toEqual({ falselyWhole: [], row })
      if (!green) return expect(said).not.toBe('')
      expect({ ...found, row }).toEqual({ untrue: [], writtenAgain: [], row })
      for (const way of Object.entries(row)) shown.add(way.join('='))
    },
  )

  it('makes the tables equal under each reading that no mixture covered', async () => {
    const lacking = ALONE.filter(({ name, told }) => told.length === 0 && !shown.has(name))
    expect(lacking.length).toBeLessThan(ALONE.length / 2)
    for (const { name, readings, again } of lacking) {
      const { green, untrue, writtenAgain } = await syncUnder(readings, { again })
      expect({ name, green, untrue, writtenAgain }).toEqual({
        name,
        green: true,
        untrue: [],
        writtenAgain: [],
      })
    }
  }, 900_000)
})
