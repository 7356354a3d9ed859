import { describe, expect, it } from 'vitest'
import { catalog, streams } from '../../src/account/catalog.ts'
import { columnRefusal } from '../../src/core/records/column-rules.ts'
import { loadAccount } from './load-account.ts'

describe('the columns of an account', () => {
  it.each([
    ['{user: {email: hash}}', /:8:15 .*columns\.user is not a stream; did you mean users\?/],
    [
      '{users: {job_titel: drop}}',
      /:8:23 .*columns\.users\.job_titel is not a field of users; did you mean job_title\?/,
    ],
    ['{users: {email: blank}}', /:8:30 .*expected/],
    ['{users: {id: hash}}', /part of the key, by which rows are found/],
    ['{users: {email: drop}}', /part of the key of some rows; hash it instead/],
    ['{users: {status: drop}}', /needed to tell the lists of the stream apart/],
    ['{users: {type: drop}}', /in every record by the documents/],
    ['{users: {pmi: hash}}', /no free text.*drop it instead/],
    ['{users: {user_created_at: drop}}', /needed to read user_details/],
    [
      '{user_details: {phone_numbers: drop}}',
      /needed to check that user_phone_numbers is complete/,
    ],
    ['{user_details: {"phone_numbers.code": drop}}', /below user_phone_numbers, so name it there/],
    ['{user_details: {personal_meeting_url: drop}}', /never stored/],
    ['{session_reports: {start_time: drop}}', /needed to read the stream by date ranges/],
    [
      '{recording_sessions: {recording_count: drop}}',
      /needed to check that recording_files is complete/,
    ],
    ['{recording_files: {id: hash}}', /part of the key of some rows; remove it here/],
    ['{recording_files: {recording_start: drop}}', /needed to archive the files/],
    ['{trashed_recording_files: {deleted_time: drop}}', /needed to recognize the trash/],
    ['{phone_numbers: {site_name: drop}}', /computed; name the field it comes from instead .*site/],
    [
      '{whiteboard_sessions: {whiteboard_name: drop}}',
      /audited stream, whose records are evidence/,
    ],
    ['{whiteboard_participants: {email: hash}}', /audited stream, whose records are evidence/],
    ['{notifications: {visitor: drop}}', /not a documented field of any notification/],
    ['{notifications: {invitation_id: hash}}', /needed to tell what a notification is about/],
    ['{notifications: {start_time: hash}}', /no free text/],
  ])('are refused with the reason: %s', (columns, problem) => {
    expect(() => loadAccount(`columns: ${columns}`)).toThrow(problem)
  })

  it.each([
    '{users: {email: hash, job_title: drop, pmi: drop, last_login_time: drop}}',
    '{phone_numbers: {site.name: drop, emergency_address: drop}}',
    '{notifications: {visitor_email: hash, visitor_name: drop}}',
  ])('are accepted: %s', (columns) => {
    expect(Object.keys(loadAccount(`columns: ${columns}`)?.columns ?? {})).toHaveLength(1)
  })

  it('cannot drop or hash a key column of any stream', () => {
    let asked = 0
    for (const stream of streams)
      for (const field of stream.key)
        for (const action of ['drop', 'hash'] as const) {
          asked++
          const why = columnRefusal({ stream, field, action }, catalog)
          expect({ stream: stream.name, field, action, why }).toMatchObject({
            why: expect.any(String) as string,
          })
        }
    expect(asked).toBeGreaterThan(100)
  })
})
