import { describe, expect, it } from 'vitest'
import { catalog, streams } from '../../src/account/catalog.ts'
import type { Stream } from '../../src/core/define/stream.ts'
import { policyFields } from '../../src/core/records/column-rules.ts'
import { partFieldRefusal } from '../../src/core/records/row-rules.ts'
import { loadAccount } from './load-account.ts'

describe('invalid accounts[].rows settings', () => {
  it.each([
    ['{user: {dept: [Sales]}}', /:8:12 .*rows\.user is not a stream; did you mean users\?/],
    [
      '{users: {depd: [Sales]}}',
      /:8:20 .*users\.depd is not a field of users; did you mean dept\?/,
    ],
    ['{users: {}}', /at least one field/],
    ['{users: {dept: []}}', /users\.dept/],
    ['{users: {dept: Sales}}', /users\.dept/],
    ['{users: {dept: [{a: b}]}}', /text, a number, true, false or null/],
    ['{users: {id: [u1]}}', /part of the key; name a field that many records share/],
    ['{users: {status: [active]}}', /tells the lists of the stream apart, and records may lack it/],
    ['{users: {email: [a@b.example]}}', /personal, and reports and logs name the values/],
    ['{users: {created_at: ["2026-01-01"]}}', /a time or a structure/],
    ['{users: {dept.name: [Sales]}}', /contains no objects with documented fields; name dept/],
    ['{user_details: {dept: [Sales]}}', /follows users, row by row; name the part there/],
    ['{user_phone_numbers: {country: [NL]}}', /follows users, row by row/],
    ['{recording_sessions: {session_key: [a]}}', /read by date ranges/],
    ['{whiteboard_sessions: {whiteboard_id: [a]}}', /read by date ranges/],
    ['{phone_numbers: {site_id: [a]}}', /computed; name the field it comes from instead .*site/],
    ['{phone_numbers: {site: [a]}}', /contains objects; name one of .* site\.site_id, site\.name/],
    [
      '{phone_numbers: {site.id: [a]}}',
      /contains objects; name one of their fields: site\.site_id/,
    ],
    ['{phone_numbers: {assigned_list: [a]}}', /contains the rows of phone_number_assignments/],
    ['{storage_locations: {access_key: [a]}}', /never stored/],
  ])('are refused with the reason or a remedy: %s', (rows, problem) => {
    expect(() => loadAccount(`rows: ${rows}`)).toThrow(problem)
  })

  it.each([
    [
      '{users: {dept: [Sales]}}',
      '{users: {dept: hash}}',
      /changed by the column policy \(dept: hash\)/,
    ],
    [
      '{phone_numbers: {site.site_id: [a]}}',
      '{phone_numbers: {site: drop}}',
      /policy \(site: drop\)/,
    ],
  ])(
    'are refused if the column policy changes their field: %s and %s',
    (rows, columns, problem) => {
      expect(() => loadAccount(`rows: ${rows}`, `columns: ${columns}`)).toThrow(problem)
    },
  )
})

it.each([
  '{users: {dept: [Sales, "Sales EU", null], verified: [1]}}',
  '{users: {group_ids: [group-1]}}',
  '{phone_numbers: {site.site_id: [site-Ams], address_update_required: [true, null]}}',
])('valid accounts[].rows settings are accepted: %s', (rows) => {
  expect(
    Object.keys(loadAccount(`rows: ${rows}`, 'columns: {users: {job_title: drop}}')?.rows ?? {}),
  ).toHaveLength(1)
})

it('over 40 fields can select a part of their stream, and over 40 other fields cannot', () => {
  const answersFor = (stream: Stream) =>
    policyFields(stream).map((field) => partFieldRefusal({ stream, field, columns: {} }, catalog))
  const having = streams.filter((stream) => answersFor(stream).includes(undefined))
  const answers = having.flatMap(answersFor)
  expect(having.map(({ name }) => name)).toContain('peering_numbers')
  expect(answers.filter((why) => why === undefined).length).toBeGreaterThan(40)
  expect(answers.filter((why) => why !== undefined).length).toBeGreaterThan(40)
})
