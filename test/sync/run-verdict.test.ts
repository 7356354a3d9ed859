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
  ['that read all', [users], notes(READ), 'complete'],
  ['of which nothing was due', [users], notes({}), 'complete'],
  ['of which a slice failed', [users], notes({ users: counts(2, { failed: 1 }) }), 'incomplete'],
  [
    'with a planned slice that came to nothing',
    [users],
    notes({ users: counts(2, { planned: 3 }) }),
    'incomplete',
  ],
  [
    'of whose streams one failed',
    [users, phoneNumbers],
    notes({ ...READ, phone_numbers: counts(0, { failed: 1 }) }),
    'incomplete',
  ],
  ['whose guard tripped', [users], notes(READ, { trippedGuards: [GUARD] }), 'incomplete'],
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
    'that was refused a part of a stream',
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
    'that was refused a stream of which something failed too',
    [users, phoneNumbers],
    notes({ ...READ, phone_numbers: counts(0, { notAllowed: 1, failed: 1 }) }, NO_NUMBERS),
    'incomplete',
  ],
  [
    'that was refused what the rest of its streams belong to',
    ARCHIVES,
    notes({}, { notAllowed: { whiteboard_sessions: '403' } }),
    'incomplete',
  ],
  [
    'that was refused what belongs to a stream it read',
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
  ['that left a slice', [users], notes({ users: counts(2, { notRead: 1 }) }), 'paused'],
  [
    'that left a slice, with another failed and a guard that tripped',
    [users],
    notes({ users: counts(1, { notRead: 1, failed: 1 }) }, { trippedGuards: [GUARD] }),
    'paused',
  ],
]
it.each(verdicts)('a run %s', (_what, streams, result, state) => {
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
    ['are all that were', notes(all), [], ['users', 'phone_numbers']],
    ['hold those of which nothing was due', notes({}), [], ['users', 'phone_numbers']],
    [
      'leave out one of which a slice failed',
      notes({ ...all, users: counts(0, { failed: 1 }) }),
      [],
      ['phone_numbers'],
    ],
    ['leave out one in trouble', notes(all), [users], ['phone_numbers']],
    ['leave out one with a nested one in trouble', notes(all), [phoneNumberAssignments], ['users']],
    [
      'leave out one whose guard tripped',
      notes(all, { trippedGuards: [GUARD] }),
      [],
      ['phone_numbers'],
    ],
    [
      'leave out one with a guard that tripped for a nested one',
      notes(all, { trippedGuards: [{ ...GUARD, stream: 'phone_number_assignments' }] }),
      [],
      ['users'],
    ],
    [
      'are none where all was refused',
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
