import { expect, it } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import {
  blankRecord,
  blankTransient,
  isSecretName,
} from '../../src/core/records/blank-transient.ts'
import { users } from '../../src/resources/users.ts'

it('a field that one stream never stores is stored by no other', () => {
  const streams = [...new Set(jobs.flatMap((job) => job.streams))]
  const dropped = new Set<string>(streams.flatMap(({ transient }) => transient))
  expect(dropped).toContain('personal_meeting_url')
  const kept = streams.flatMap(({ name, columns, also = [] }) => [
    ...Object.keys(columns).flatMap((field) => (dropped.has(field) ? [`${name}.${field}`] : [])),
    ...also.flatMap((field) =>
      dropped.has(field) && !isSecretName(field) ? [`${name}.${field}`] : [],
    ),
  ])
  expect(kept).toEqual([])
})

it('the list of users keeps no address with a passcode, and is still told by its bytes', () => {
  const record = '{"id":"u","personal_meeting_url":"https://svc.example/j/1?pwd=abc","type":1}'
  expect(blankTransient(record, users.transient)).toBe(
    '{"id":"u","personal_meeting_url":"","type":1}',
  )
  expect(users.transient).toEqual([])
})

it.each([
  [
    '{"id":"u","personal_meeting_url":"https://svc.example/j/1","pin":[1,{"pin":2}],"a":{"b":1}}',
    true,
  ],
  ['{"id":"u"}', true],
  ['{"a":{"password":"x"}}', false],
  ['{"password":"x","a":{"password":"y"}}', false],
  ['{"password":"x","a":[{"secret":"y"}]}', false],
  ['{"password":"x","password":"y"}', false],
  ['{"pass\\u0077ord":"x","n":"\\""}', true],
  ['[{"password":"x"}]', false],
  ['["password",1]', true],
])('of %s the record is blanked as its text is, or not at all', (text, own) => {
  const blanked: string[] = []
  const record = JSON.parse(blankTransient(text, [], blanked)) as unknown
  expect(blankRecord(JSON.parse(text), blanked)).toEqual(own ? record : undefined)
})
