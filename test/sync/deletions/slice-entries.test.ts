import { describe, expect, it } from 'vitest'
import type { Stream } from '../../../src/core/define/stream.ts'
import { sessionReports } from '../../../src/resources/session-reports.ts'
import { users } from '../../../src/resources/users.ts'
import { whiteboardActivities } from '../../../src/resources/whiteboard-archives.ts'
import { whiteboardContent } from '../../../src/resources/whiteboard-content.ts'
import { entriesOf } from '../../../src/sync/deletions/slice-entries.ts'
import type { SliceHistory } from '../../../src/sync/ledger/slice-histories.ts'
import type { PlannedGroup } from '../../../src/sync/plan/plan-stream.ts'
import type { RunContext } from '../../../src/sync/run/run-context.ts'
import type { SliceReading } from '../../../src/sync/run/slice-reading.ts'
import { groupOf, listOf, readingOf, refusal } from './group-read.ts'

const DAY_MS = 86_400_000
const NOW = 10 * DAY_MS
const RUN = { clock: { now: () => NOW } } as RunContext

interface Given extends Partial<PlannedGroup> {
  awaited?: boolean
  deleted?: number
}
function entries(stream: Stream, readings: SliceReading[], given: Given = {}) {
  const { awaited = false, deleted = 0, ...more } = given
  return entriesOf(RUN, groupOf(stream, readings, more), { deleted, awaited })
}

const [WHOLE, FAILED] = [readingOf(), readingOf({ state: 'failed' })]
const ASIDE = readingOf({ quarantined: 1 })
const besides = (more: Partial<SliceReading>) => readingOf(more, { besides: true })

describe('a slice counts as checked for deletions', () => {
  it.each<[string, Stream, SliceReading[], Given, boolean[]]>([
    ['if the whole group was read', users, [WHOLE, WHOLE], {}, [true, true]],
    ['but not if another slice of its group failed', users, [WHOLE, FAILED], {}, [false, false]],
    [
      'but not if another slice was not read',
      users,
      [WHOLE, readingOf({ state: 'not_read' })],
      {},
      [false],
    ],
    ['but not beside a quarantined record', users, [WHOLE, ASIDE], {}, [false, false]],
    ['but not beside a refused record', users, [readingOf({ refused: 1 })], {}, [false]],
    ['but not while rows are awaited', users, [WHOLE], { awaited: true }, [false]],
    ['but not if its rows may be left out', sessionReports, [WHOLE], { unproven: true }, [false]],
    ['but not if it was read to find a row', users, [readingOf({}, { added: true })], {}, [false]],
    ['but not with a quarantined nested record', users, [readingOf({ nested: 1 })], {}, [false]],
    ['but not with a doubted nested list', users, [readingOf({ doubted: 1 })], {}, [false]],
    [
      'by itself if it is the list of one parent',
      whiteboardActivities,
      [listOf('a'), listOf('b', { state: 'failed' })],
      {},
      [true, false],
    ],
    [
      'by itself, but not with a quarantined record of its own',
      whiteboardActivities,
      [listOf('a', { quarantined: 1 }), listOf('b')],
      {},
      [false, true],
    ],
    [
      'by itself in an incremental read',
      users,
      [WHOLE, FAILED],
      { incremental: true },
      [true, false],
    ],
    [
      'but not if its list is absent although its parent exists',
      whiteboardContent,
      [listOf('a', { error: refusal(404, '34007'), pages: 0 })],
      {},
      [false],
    ],
    [
      'if its list is absent and its parent is in the trash',
      whiteboardContent,
      [besides({ error: refusal(404, '34007'), pages: 0 })],
      {},
      [true],
    ],
  ])('%s', (_what, stream, readings, given, checked) => {
    expect(entries(stream, readings, given).map((entry) => entry.checked)).toEqual(checked)
  })
})

describe('the entry of a slice', () => {
  it('counts quarantined and nested quarantined records, and no records of erased people', () => {
    const reading = readingOf({ received: 9, erased: 2, quarantined: 1, refused: 1, nested: 3 })
    expect(entries(users, [reading])).toMatchObject([{ received: 10, quarantined: 5 }])
  })

  it('has the deletions of its group if it is the group’s first slice', () => {
    const [first, second] = entries(users, [WHOLE, WHOLE], { deleted: 7 })
    expect([first?.deleted, second?.deleted]).toEqual([7, 0])
  })
})

describe('a list', () => {
  const settled = (more: Partial<SliceHistory>, reading: Partial<SliceReading> = {}) => {
    const known = { countSinceMs: NOW - DAY_MS, received: 2, version: '[1]', ...more }
    const slice = { history: known as SliceHistory, version: '[1]', parent: ['a'] }
    const read = { received: 2, ...reading }
    return entries(whiteboardActivities, [readingOf(read, slice)])[0]?.final
  }
  it('is final if it had the same count for a day, and its session’s times did not change', () => {
    expect(settled({})).toBe(true)
    expect(settled({ countSinceMs: NOW - DAY_MS + 1 })).toBe(false)
    expect(settled({ countSinceMs: undefined })).toBe(false)
    expect(settled({ received: 1 })).toBe(false)
    expect(settled({ version: '[0]' })).toBe(false)
  })
  it('is final if the service denies access to it, but not if it reports it as absent', () => {
    expect(settled({}, { error: refusal(404, '34000'), pages: 0 })).toBe(false)
    expect(settled({}, { error: refusal(403), pages: 0 })).toBe(true)
  })
  it('is never final in a stream of complete lists', () => {
    expect(entries(users, [WHOLE])[0]?.final).toBe(false)
  })
})
