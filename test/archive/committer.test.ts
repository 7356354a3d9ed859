import { describe, expect, it } from 'vitest'
import { createCommitter } from '../../src/archive/committer.ts'
import type { FileOutcome } from '../../src/archive/sql/files.ts'
import { manualClock } from '../helpers/manual-clock.ts'

const outcomeOf = (at: number): FileOutcome => ({ parent: 'a', item: `${at}`, state: 'pending' })

/** A committer and the groups that it recorded. Group number `fails` cannot be recorded. */
function open(fails = -1) {
  const clock = manualClock(0)
  const groups: string[][] = []
  let begun = 0
  const committer = createCommitter(clock, async (group) => {
    await Promise.resolve()
    if (begun++ === fails) throw new Error('no database')
    groups.push(group.map(({ item }) => item))
  })
  return { clock, groups, committer }
}

describe('the outcomes of file downloads', () => {
  it('are recorded in groups of a thousand, and the rest at the end', async () => {
    const { groups, committer } = open()
    for (let at = 0; at < 2_003; at++) await committer.add(outcomeOf(at))
    expect(groups.map(({ length }) => length)).toEqual([1_000, 1_000])
    await committer.finish()
    expect(groups.flat()).toEqual(Array.from({ length: 2_003 }, (_, at) => `${at}`))
  })

  it('are recorded once the first of them has waited for five seconds', async () => {
    const { clock, groups, committer } = open()
    await committer.add(outcomeOf(0))
    await clock.advance(4_999)
    expect(groups).toEqual([])
    await clock.advance(1)
    await expect.poll(() => groups).toEqual([['0']])
    await committer.finish()
    expect(groups).toHaveLength(1)
  })

  it('are no longer recorded after a group that could not be recorded', async () => {
    const { clock, groups, committer } = open(0)
    await committer.add(outcomeOf(0))
    await clock.advance(5_000)
    await expect(committer.add(outcomeOf(1))).rejects.toThrow('no database')
    await expect(committer.finish()).rejects.toThrow('no database')
    expect(groups).toEqual([])
  })
})
