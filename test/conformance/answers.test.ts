import { beforeAll, describe, expect, it } from 'vitest'
import { declaredStreams, operations } from '../../src/resources/declared.ts'
import { trashedRecordings } from '../../src/resources/recordings.ts'
import { gatherAnswers } from './answers.ts'
import type { Answers } from './asking.ts'
import { isKept } from './kept.ts'
import { DROPPED } from './rows/dropped.ts'
import { ENUMERATIONS } from './rows/enumerations.ts'
import { FIELDS } from './rows/fields.ts'
import { REQUEST_VALUES } from './rows/request-values.ts'
import { shownBy } from './shown.ts'

let answers: Answers
beforeAll(async () => {
  answers = await gatherAnswers()
})

describe('a documented field', () => {
  for (const { id, shown } of FIELDS)
    for (const { operation, path } of shown)
      it(`${id} is returned by ${operation}`, () => {
        expect(answers.get(operation)?.length ?? 0).toBeGreaterThan(0)
        expect(shownBy(answers, operation, path).length).toBeGreaterThan(0)
      })

  const kept = FIELDS.filter(({ stream }) => stream !== undefined)
  for (const { id, field, stream: name } of kept)
    it(`${id} is ${DROPPED[field] === undefined ? 'stored by' : 'on purpose not stored by'} ${name}`, () => {
      const stream = declaredStreams.find((one) => one.name === name)
      if (stream === undefined) throw new Error(`there is no stream ${name}`)
      const isKey = stream.key.includes(field)
      expect(isKey || isKept(answers, stream, field)).toBe(DROPPED[field] === undefined)
    })

  it('about a recording is also stored for a recording in the trash', () => {
    const ofSession = kept.filter(({ stream, shown }) => {
      return (
        stream === 'recording_sessions' && shown.some(({ path }) => path.startsWith('sessions.'))
      )
    })
    // What of a participant's files is in the trash shows with the recording alone.
    const fields = ofSession
      .map(({ field }) => field)
      .filter((one) => !one.startsWith('participant'))
    expect(fields).toContain('total_size')
    const lost = fields.filter(
      (field) => field !== 'session_id' && isKept(answers, trashedRecordings, field) !== true,
    )
    expect(lost).toEqual([])
  })

  it('that no stream stores on purpose is documented', () => {
    const documented = new Set(kept.map(({ field }) => field))
    expect(Object.keys(DROPPED).filter((field) => !documented.has(field))).toEqual([])
  })

  it('belongs to an existing operation', () => {
    const known = new Set(operations.map(({ id }) => id))
    const called = FIELDS.flatMap(({ shown: places }) => places.map(({ operation }) => operation))
    expect(called.filter((id) => !known.has(id) && !id.startsWith('oauth.'))).toEqual([])
  })
})

describe('a documented list of values', () => {
  for (const { id, operation, path, values } of ENUMERATIONS)
    it(`${id}: the sandbox returns all values, and no other`, () => {
      const shown = shownBy(answers, operation, path).filter((one) => one !== null && one !== '')
      expect([...new Set(shown.map(String))].toSorted()).toEqual(values.toSorted())
    })

  const kept = ENUMERATIONS.filter(({ stream }) => stream !== undefined)
  for (const { id, values, never, stream, column } of kept)
    it(`${id}: ${stream} declares all values, and no other`, () => {
      const known = declaredStreams.find(({ name }) => name === stream)?.columns[column ?? '']
        ?.known
      expect(known?.map(String).toSorted()).toEqual([...values, ...never].toSorted())
    })

  for (const { id, operation: name, values, body } of REQUEST_VALUES)
    it(`${id}: the request accepts all values, and no other`, () => {
      const schema = operations.find((one) => one.id === name)?.body
      const taken = [...values, 'none-of-them', 99].filter(
        (value) => schema?.safeParse(body(value)).success,
      )
      expect(taken).toEqual(values)
    })
})

describe('a documented answer', () => {
  it('has no ID, status, size or recording type for files of type CC and TIMELINE', () => {
    const files = recordsAt('recordings.list', 'sessions.recording_files')
    const bare = files.filter(({ file_type: type }) => type === 'CC' || type === 'TIMELINE')
    const whole = files.filter((file) => !bare.includes(file))
    const lacking = ['id', 'status', 'file_size', 'recording_type']
    expect(Math.min(bare.length, whole.length)).toBeGreaterThan(0)
    expect(bare.filter((file) => lacking.some((field) => field in file))).toEqual([])
    expect(whole.filter((file) => !lacking.every((field) => field in file))).toEqual([])
  })

  it('has an empty address for people from outside', () => {
    for (const [operation, path] of [
      ['whiteboard_sessions.list', 'sessions.regulated_participants'],
      ['whiteboard_sessions.get', 'activities'],
    ] as const) {
      const people = recordsAt(operation, path)
      const kinds = people.map(({ user_id: id, email }) => `${id === ''} ${email === ''}`)
      expect(new Set(kinds)).toEqual(new Set(['true true', 'false false']))
    }
  })

  it('has only the IDs of a collaborator’s own kind', () => {
    const kinds = recordsAt('whiteboard_collaborators.list', '').map((one) =>
      ['collaborator_type', 'user_id', 'email', 'channel_id'].map((field) =>
        field === 'collaborator_type' ? one[field] : (one[field] ?? null) !== null,
      ),
    )
    const seen = new Set(kinds.map((kind) => kind.join(' ')))
    expect([...seen].toSorted()).toEqual([
      '0 true true false',
      '1 false false false',
      '2 false false true',
    ])
  })

  it('has no sharing role if sharing is restricted', () => {
    const links = recordsAt('whiteboards.list', 'whiteboards.share_link_setting')
    const kinds = links.map(({ share_scope: scope, share_role: role }) => [
      scope === 0,
      role === null,
    ])
    expect(new Set(kinds.map((kind) => kind.join(' ')))).toEqual(
      new Set(['true true', 'false false']),
    )
  })

  it('has a key of at most 36 letters and digits for a participant’s file', () => {
    const keys = shownBy(answers, 'recordings.list', 'sessions.participant_video_files.user_key')
    expect(keys.length).toBeGreaterThan(0)
    expect(keys.filter((key) => !/^[A-Za-z0-9]{1,36}$/.test(String(key)))).toEqual([])
  })

  it('omits the fields that only other calls show', () => {
    for (const [operation, path] of [
      ['peering_numbers.list', 'numbers.customer_account_name'],
      ['peering_numbers.list', 'numbers.number_type'],
      ['whiteboard_collaborators.add', 'email'],
      ['storage_locations.list', 'verify_status'],
      ['storage_locations.get', 'selected'],
      ['storage_locations.list', 's3.access_key'],
      ['recordings.list', 'sessions.participant_audio_files'],
      ['recordings.list', 'sessions.download_access_token'],
      ['sms_consents.list', 'sms_consent.capacity'],
      ['phone_numbers.list', 'numbers.assigned_list.display_number'],
      ['phone_numbers.get', 'assigned_list.assigned_to_name'],
    ] as const)
      expect({ path, shown: shownBy(answers, operation, path) }).toEqual({ path, shown: [] })
  })
})

function recordsAt(operation: string, path: string): Record<string, unknown>[] {
  return shownBy(answers, operation, path) as Record<string, unknown>[]
}
