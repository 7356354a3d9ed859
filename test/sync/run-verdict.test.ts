import { describe, expect, it } from 'vitest'
import type { Stream } from '../../src/core/define/stream.ts'
import { phoneNumberAssignments, phoneNumbers } from '../../src/resources/phone-numbers.ts'
import { users } from '../../src/resources/users.ts'
import {
  whiteboardActivities,
  whiteboardParticipants,
  whiteboardSessions,
} from '../../src/resources/whiteboard-archives.ts'
import type { RunContext } from '../../src/sync/run/run-context.ts'
import type { RunNotes, SliceCounts } from '../../src/sync/run/run-types.ts'
import { isWhollyRefused, readToTheEnd, runVerdict } from '../../src/sync/run-verdict.ts'

const counts = (complete: number, more: Partial<SliceCounts> = {}): SliceCounts => {
  const given = { complete, failed: 0, notAllowed: 0, notRead: 0, ...more }
  const { failed, notAllowed, notRead } = given
  return { planned: complete + failed + notAllowed + notRead, ...given }
}
const notes = (slices: RunNotes['slices'], more: Partial<RunNotes> = {}): RunNotes => ({
  runId: 1,
  job: 'job',
  state: 'complete',
  tables: {},
  slices,
  problems: [],
  trippedGuards: [],
  notAllowed: {},
  ...more,
})

const NO_NUMBERS = { notAllowed: { phone_numbers: '403' } }
const GUARD = { stream: 'users', missing: 90, owned: 100 }
const ARCHIVES = [whiteboardSessions, whiteboardParticipants, whiteboardActivities]
const READ = { users: counts(3) }
const verdicts: [string, readonly Stream[], RunNotes, RunNotes['state']][] = [
  ['that read every slice', [users], notes(READ), 'complete'],
  ['with no slice due', [users], notes({}), 'complete'],
  ['with a failed slice', [users], notes({ users: counts(2, { failed: 1 }) }), 'incomplete'],
  [
    'with a planned slice that has no outcome',
    [users],
    notes({ users: counts(2, { planned: 3 }) }),
    'incomplete',
  ],
  [
    'with one failed stream of two',
    [users, phoneNumbers],
    notes({ ...READ, phone_numbers: counts(0, { failed: 1 }) }),
    'incomplete',
  ],
  ['with a tripped deletion guard', [users], notes(READ, { trippedGuards: [GUARD] }), 'incomplete'],
  ['with a problem', [users], notes(READ, { state: 'incomplete' }), 'incomplete'],
  [
    'that was refused its only stream',
    [users],
    notes({ users: counts(0, { notAllowed: 3 }) }, { notAllowed: { users: '403' } }),
    'incomplete',
  ],
  [
    'that was refused one stream of two',
    [users, phoneNumbers],
    notes({ ...READ, phone_numbers: counts(0, { notAllowed: 1 }) }, NO_NUMBERS),
    'complete',
  ],
  [
    'that was refused some slices of a stream',
    [users, phoneNumbers],
    notes({ ...READ, phone_numbers: counts(1, { notAllowed: 1 }) }, NO_NUMBERS),
    'complete',
  ],
  [
    'with refused slices of a stream that it may read',
    [users, phoneNumbers],
    notes({ ...READ, phone_numbers: counts(1, { notAllowed: 1 }) }),
    'incomplete',
  ],
  [
    'that was refused a stream with a failed slice',
    [users, phoneNumbers],
    notes({ ...READ, phone_numbers: counts(0, { notAllowed: 1, failed: 1 }) }, NO_NUMBERS),
    'incomplete',
  ],
  [
    'that was refused the parent of its other streams',
    ARCHIVES,
    notes({}, { notAllowed: { whiteboard_sessions: '403' } }),
    'incomplete',
  ],
  [
    'that was refused the lists of a parent that it read',
    ARCHIVES,
    notes({ whiteboard_sessions: counts(1) }, { notAllowed: { whiteboard_activities: '403' } }),
    'complete',
  ],
  ['that was paused', [users], notes(READ, { state: 'paused' }), 'paused'],
  [
    'that was paused after a slice failed',
    [users],
    notes({ users: counts(2, { failed: 1 }) }, { state: 'paused' }),
    'paused',
  ],
  ['that left a slice unread', [users], notes({ users: counts(2, { notRead: 1 }) }), 'paused'],
  [
    'that left a slice unread, with a failed slice and a tripped guard',
    [users],
    notes({ users: counts(1, { notRead: 1, failed: 1 }) }, { trippedGuards: [GUARD] }),
    'paused',
  ],
]
it.each(verdicts)('the state of a run %s is correct', (_what, streams, result, state) => {
  expect(runVerdict({ streams } as Parameters<typeof runVerdict>[0], result)).toBe(state)
})

describe('the completely read streams', () => {
  const streams = [users, phoneNumbers, phoneNumberAssignments]
  const all = { users: counts(1), phone_numbers: counts(1) }
  const readOf = (result: RunNotes, inTrouble: readonly Stream[] = []) =>
    readToTheEnd(
      {
        noted: () => result,
        cutsOf: (of: Stream) => (of === phoneNumbers ? [phoneNumberAssignments] : []),
        inTrouble: (one: Stream) => inTrouble.includes(one),
      } as unknown as RunContext,
      { streams },
    )

  it.each<[string, RunNotes, readonly Stream[], string[]]>([
    ['include every stream without trouble', notes(all), [], ['users', 'phone_numbers']],
    ['include streams with no slice due', notes({}), [], ['users', 'phone_numbers']],
    [
      'exclude a stream with a failed slice',
      notes({ ...all, users: counts(0, { failed: 1 }) }),
      [],
      ['phone_numbers'],
    ],
    ['exclude a stream with a blocking problem', notes(all), [users], ['phone_numbers']],
    [
      'exclude a stream with a blocking problem in a nested stream',
      notes(all),
      [phoneNumberAssignments],
      ['users'],
    ],
    [
      'exclude a stream with a tripped deletion guard',
      notes(all, { trippedGuards: [GUARD] }),
      [],
      ['phone_numbers'],
    ],
    [
      'exclude a stream with a tripped deletion guard of a nested stream',
      notes(all, { trippedGuards: [{ ...GUARD, stream: 'phone_number_assignments' }] }),
      [],
      ['users'],
    ],
    [
      'are none if all were refused',
      notes({}, { notAllowed: { users: '403', phone_numbers: '403' } }),
      [],
      [],
    ],
  ])('%s', (_what, result, inTrouble, read) => {
    expect(readOf(result, inTrouble)).toEqual(read)
  })
})

it('a job without streams is not refused', () => {
  expect(isWhollyRefused([], {})).toBe(false)
})
