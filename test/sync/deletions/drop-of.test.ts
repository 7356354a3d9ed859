import { expect, it } from 'vitest'
import type { Stream } from '../../../src/core/define/stream.ts'
import { sipGroups } from '../../../src/resources/number-settings.ts'
import { recordingSessions, trashedRecordings } from '../../../src/resources/recordings.ts'
import { sessionReports } from '../../../src/resources/session-reports.ts'
import { users } from '../../../src/resources/users.ts'
import { whiteboardCollaborators } from '../../../src/resources/whiteboard-collaborators.ts'
import { type Drop, dropOf } from '../../../src/sync/deletions/check-drop.ts'
import type { SliceReading } from '../../../src/sync/run/slice-reading.ts'
import { groupOf, listOf, readingOf } from './group-read.ts'

const keysOf = (parent: string, count: number): string[][] =>
  Array.from({ length: count }, (_, at) => [parent, `row ${at}`])

function drop(stream: Stream, readings: SliceReading[], owned: number, missing: string[][]): Drop {
  return dropOf({ ...groupOf(stream, readings), table: { loaded: owned } }, missing)
}

const lists: [string, Stream, number, number, Partial<SliceReading>, Partial<Drop>][] = [
  ['a complete list', sipGroups, 5, 0, {}, { fallen: 0, alone: true, filled: 1, emptied: 0 }],
  ['a list that lost a few rows', sipGroups, 5, 2, {}, { fallen: 2, filled: 1, emptied: 0 }],
  ['a list that is now empty', sipGroups, 5, 5, {}, { fallen: 5, alone: true, emptied: 1 }],
  ['a list that had no rows', sipGroups, 0, 0, {}, { fallen: 0, filled: 0, emptied: 0 }],
  ['the trash', trashedRecordings, 5, 5, {}, { fallen: 5, alone: false, emptied: 1 }],
  ['rows with a detail call', users, 5, 5, {}, { fallen: 5, alone: true, emptied: 0 }],
  ['windows', sessionReports, 9, 9, {}, { fallen: 9, alone: true, filled: 1, emptied: 1 }],
  ['windows of rows with a detail call', recordingSessions, 9, 9, {}, { alone: false, emptied: 0 }],
  ['a list with quarantined records', sipGroups, 9, 9, { quarantined: 2 }, { fallen: 7 }],
  ['a list with refused records', sipGroups, 9, 9, { refused: 3 }, { fallen: 6 }],
  ['fewer rows than quarantined records', sipGroups, 9, 2, { quarantined: 4 }, { fallen: 0 }],
  ['detailed rows beside quarantined ones', users, 9, 9, { quarantined: 2 }, { fallen: 9 }],
]
it.each(lists)(
  'the drop of %s is counted exactly',
  (_what, stream, owned, missing, reading, expected) => {
    const found = drop(stream, [readingOf(reading)], owned, keysOf('x', missing))
    expect(found).toMatchObject({ owned, missing, ...expected })
  },
)

const boards: [string, SliceReading[], string[][], Partial<Drop>][] = [
  [
    'two lists with rows, and one that is now empty',
    [listOf('a', { received: 3 }), listOf('b', { received: 1 }), listOf('c')],
    keysOf('c', 2),
    { fallen: 2, filled: 3, emptied: 1 },
  ],
  [
    'a list that had no rows before',
    [listOf('a', { received: 3 }), listOf('b')],
    [],
    { fallen: 0, filled: 1, emptied: 0 },
  ],
  [
    'a list that shows only erased people',
    [listOf('a', { received: 2, erased: 2 })],
    keysOf('a', 1),
    { fallen: 1, filled: 1, emptied: 1 },
  ],
  [
    'a list that still shows a row',
    [listOf('a', { received: 1 })],
    keysOf('a', 4),
    { fallen: 4, filled: 1, emptied: 0 },
  ],
  [
    'a list with a quarantined record, beside a complete list',
    [listOf('a', { received: 1, quarantined: 1 }), listOf('b', { received: 1 })],
    [...keysOf('a', 1), ...keysOf('b', 1)],
    { fallen: 1, filled: 2, emptied: 0 },
  ],
]
it.each(boards)(
  'the drop of parents’ lists is counted exactly: %s',
  (_what, readings, missing, expected) => {
    const found = drop(whiteboardCollaborators, readings, 9, missing)
    expect(found).toMatchObject({ owned: 9, alone: false, missing: missing.length, ...expected })
  },
)
