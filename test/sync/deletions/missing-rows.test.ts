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

describe('a group of slices that answer together', () => {
  it.each<[string, Stream, SliceReading[], Partial<PlannedGroup>, boolean]>([
    ['that were all read', users, [WHOLE, WHOLE], {}, true],
    ['of which one failed', users, [WHOLE, FAILED], {}, false],
    ['of which one was refused', users, [WHOLE, NOT_ALLOWED], {}, false],
    ['of which one was left', users, [WHOLE, NOT_READ], {}, false],
    ['of windows that were read', sessionReports, [WHOLE], {}, true],
    ['of a window that failed', sessionReports, [FAILED], {}, false],
    ['of what changed lately', sessionReports, [WHOLE], { incremental: true }, false],
    ['of which a part may be left out', sessionReports, [WHOLE], { unproven: true }, false],
  ])('%s', (_what, stream, readings, more, answers) => {
    const group = read(stream, readings, more)
    expect(answeredFor(group)).toEqual(answers ? group.group.owned : undefined)
  })
})

describe('a group of lists by their parents', () => {
  const error = refusal(404, '3301')
  it.each<[string, Stream, SliceReading[], string[] | undefined]>([
    ['answers for each', whiteboardCollaborators, [listOf('a'), listOf('b')], ['a', 'b']],
    [
      'answers for those that were read',
      whiteboardCollaborators,
      [listOf('a'), listOf('b', { state: 'failed' }), listOf('c', { state: 'not_read' })],
      ['a'],
    ],
    [
      'answers for none that may have been cut short',
      whiteboardCollaborators,
      [listOf('a', { atBound: true }), listOf('b')],
      ['b'],
    ],
    [
      'answers for none that was refused',
      whiteboardCollaborators,
      [listOf('a', { error: refusal(403) }), listOf('b')],
      ['b'],
    ],
    [
      'answers for none that is not there, but by a detail call',
      whiteboardCollaborators,
      [listOf('a', { error: refusal(404, '34007') }), listOf('b')],
      ['b'],
    ],
    ['answers for a detail that is not there', recordingDetails, [listOf('a', { error })], ['a']],
    [
      'answers for no detail that is not for us',
      recordingDetails,
      [listOf('a', { error: refusal(403) })],
      undefined,
    ],
    [
      'answers for nothing where nothing was read',
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
    ['are proven by whole lists', users, [WHOLE, WHOLE], rows, []],
    ['are all doubted beside one set aside', users, [readingOf({ quarantined: 1 })], [], rows],
    ['are all doubted beside a refused record', users, [readingOf({ refused: 1 })], [], rows],
    ['are all doubted beside a record shown twice', users, [readingOf({ repeats: 1 })], [], rows],
    ['are doubted by one slice of several', users, [WHOLE, readingOf({ repeats: 1 })], [], rows],
    [
      'are doubted in the list that cannot be used alone',
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

  it('are missing in both reads only with the same complete key', () => {
    const second = [['a', '2'], ['b', '2'], ['1']]
    expect(both(rows, second)).toEqual([['b', '2']])
  })
})
