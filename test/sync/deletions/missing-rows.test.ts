import { describe, expect, it } from 'vitest'
import type { Stream } from '../../../src/core/define/stream.ts'
import { recordingDetails } from '../../../src/resources/recording-details.ts'
import { sessionReports } from '../../../src/resources/session-reports.ts'
import { users } from '../../../src/resources/users.ts'
import { whiteboardCollaborators } from '../../../src/resources/whiteboard-collaborators.ts'
import { answeredFor, both, sortMissing } from '../../../src/sync/deletions/missing-rows.ts'
import type { PlannedGroup } from '../../../src/sync/plan/plan-stream.ts'
import type { GroupRead } from '../../../src/sync/read/read-group.ts'
import type { SliceReading } from '../../../src/sync/run/slice-reading.ts'
import { groupOf, listOf, readingOf, refusal } from './group-read.ts'

const read = (stream: Stream, readings: SliceReading[], more: Partial<PlannedGroup> = {}) =>
  groupOf(stream, readings, more) as GroupRead
const [WHOLE, FAILED] = [readingOf(), readingOf({ state: 'failed' })]
const NOT_ALLOWED = readingOf({ state: 'not_allowed' })
const NOT_READ = readingOf({ state: 'not_read' })

describe('the read of a group of slices', () => {
  it.each<[string, Stream, SliceReading[], Partial<PlannedGroup>, boolean]>([
    ['proves missing rows if all slices were read', users, [WHOLE, WHOLE], {}, true],
    ['proves nothing if a slice failed', users, [WHOLE, FAILED], {}, false],
    ['proves nothing if a slice was refused', users, [WHOLE, NOT_ALLOWED], {}, false],
    ['proves nothing if a slice was left unread', users, [WHOLE, NOT_READ], {}, false],
    ['proves missing rows of windows', sessionReports, [WHOLE], {}, true],
    ['proves nothing about a failed window', sessionReports, [FAILED], {}, false],
    ['proves nothing if it was incremental', sessionReports, [WHOLE], { incremental: true }, false],
    ['proves nothing if rows may be left out', sessionReports, [WHOLE], { unproven: true }, false],
  ])('%s', (_what, stream, readings, more, answers) => {
    const group = read(stream, readings, more)
    expect(answeredFor(group)).toEqual(answers ? group.group.owned : undefined)
  })
})

describe('the read of the lists of several parents', () => {
  const error = refusal(404, '3301')
  it.each<[string, Stream, SliceReading[], string[] | undefined]>([
    [
      'proves missing rows of each',
      whiteboardCollaborators,
      [listOf('a'), listOf('b')],
      ['a', 'b'],
    ],
    [
      'proves missing rows only of lists that were read',
      whiteboardCollaborators,
      [listOf('a'), listOf('b', { state: 'failed' }), listOf('c', { state: 'not_read' })],
      ['a'],
    ],
    [
      'proves nothing about a list that may have been cut short',
      whiteboardCollaborators,
      [listOf('a', { atBound: true }), listOf('b')],
      ['b'],
    ],
    [
      'proves nothing about a refused list',
      whiteboardCollaborators,
      [listOf('a', { error: refusal(403) }), listOf('b')],
      ['b'],
    ],
    [
      'proves nothing about an absent list',
      whiteboardCollaborators,
      [listOf('a', { error: refusal(404, '34007') }), listOf('b')],
      ['b'],
    ],
    ['proves that an absent detail is missing', recordingDetails, [listOf('a', { error })], ['a']],
    [
      'proves nothing about a denied detail',
      recordingDetails,
      [listOf('a', { error: refusal(403) })],
      undefined,
    ],
    [
      'proves nothing if no list was read',
      whiteboardCollaborators,
      [listOf('a', { state: 'failed' })],
      undefined,
    ],
  ])('%s', (_what, stream, readings, keys) => {
    const owned = answeredFor(read(stream, readings))
    expect(owned && 'keys' in owned ? owned.keys : owned).toEqual(keys)
  })
})

describe('missing rows', () => {
  const rows = [
    ['a', '1'],
    ['b', '2'],
  ]
  it.each<[string, Stream, SliceReading[], string[][], string[][]]>([
    ['are proven by complete lists', users, [WHOLE, WHOLE], rows, []],
    [
      'are all doubted beside a quarantined record',
      users,
      [readingOf({ quarantined: 1 })],
      [],
      rows,
    ],
    ['are all doubted beside a refused record', users, [readingOf({ refused: 1 })], [], rows],
    ['are all doubted beside a record shown twice', users, [readingOf({ repeats: 1 })], [], rows],
    [
      'are all doubted if one of several slices repeats a record',
      users,
      [WHOLE, readingOf({ repeats: 1 })],
      [],
      rows,
    ],
    [
      'are doubted only in the list with a quarantined record',
      whiteboardCollaborators,
      [listOf('a', { quarantined: 1 }), listOf('b')],
      [['b', '2']],
      [['a', '1']],
    ],
    [
      'are not doubted by a list that was not read',
      whiteboardCollaborators,
      [listOf('a', { state: 'failed', quarantined: 1 }), listOf('b')],
      rows,
      [],
    ],
  ])('%s', (_what, stream, readings, proven, doubted) => {
    expect(sortMissing(read(stream, readings), rows)).toEqual({ proven, doubted })
  })

  it('may need another proof, such as a list with a proven end', () => {
    const lists = [listOf('a', { endProven: false }), listOf('b')]
    const sorted = sortMissing(read(whiteboardCollaborators, lists), rows, (one) => one.endProven)
    expect(sorted).toEqual({ proven: [['b', '2']], doubted: [['a', '1']] })
  })

  it('are missing in both reads only if both have the same complete key', () => {
    const second = [['a', '2'], ['b', '2'], ['1']]
    expect(both(rows, second)).toEqual([['b', '2']])
  })
})
