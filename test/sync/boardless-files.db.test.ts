import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { useRetention } from '../archive/retained.ts'

const stage = useRetention()

describe('a file with an unknown board', () => {
  const KEEP = { keepDays: 600, whiteboards: ['wb-keep'] }
  const YEAR = { keepDays: 365 }
  const LABELLED = { keepDays: 550, labels: ['Confidential'] }

  it('is kept by the longest retention rule that may apply', async () => {
    await stage.keepFiles(
      { session: 's1', item: 'known', content: '1', age: 500 },
      { session: 's2', item: 'no-board', content: '22', age: 500 },
      { session: 's3', item: 'no-session', content: '333', age: 500 },
      { session: 'v1', item: 'recording', content: '4444', age: 500, kind: 'recording' },
    )
    await loseBoards()
    const known = ['known goes', 'recording goes']
    const all = ['known goes', 'no-board goes', 'no-session goes', 'recording goes']
    const by = (rule: number, items: string[]) => items.map((item) => `${item} by rule ${rule}`)
    expect(await stage.preview([KEEP, YEAR])).toEqual(by(1, known))
    expect(await stage.preview([LABELLED, YEAR])).toEqual(by(1, known))
    expect(await stage.preview([{ ...KEEP, keepDays: 10 }, YEAR])).toEqual(by(1, all))
    // A rule after the rule for all boards matches no file.
    expect(await stage.preview([YEAR, KEEP])).toEqual(by(0, all))
    await stage.prune([KEEP, YEAR])
    expect(await stage.states()).toEqual([
      'known removed',
      'no-board stored',
      'no-session stored',
      'recording removed',
    ])
  })

  it('stays if it is possible that no rule applies', async () => {
    await stage.keepFiles(
      { session: 's1', item: 'known', content: '1', age: 500, whiteboard: 'wb-keep' },
      { session: 's2', item: 'no-board', content: '22', age: 500, whiteboard: 'wb-keep' },
    )
    await loseBoards()
    expect(await stage.preview([{ ...KEEP, keepDays: 30 }])).toEqual(['known goes by rule 0'])
  })

  async function loseBoards(): Promise<void> {
    const { account, warehouse } = stage
    await sql`update svc.whiteboard_sessions set whiteboard_id = null
      where account = ${account} and id = 's2'`.execute(warehouse.db)
    await sql`delete from svc.whiteboard_sessions
      where account = ${account} and id = 's3'`.execute(warehouse.db)
  }
})
