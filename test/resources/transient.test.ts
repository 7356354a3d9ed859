import { expect, it } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import { blankTransient, isSecretName } from '../../src/core/records/record-hash.ts'
import { users } from '../../src/resources/users.ts'

it('a field that one stream must never store is stored in no stream', () => {
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

it('no URL with a passcode is stored, although the list of users is compared by its bytes', () => {
  const record = '{"id":"u","personal_meeting_url":"https://svc.example/j/1?pwd=abc","type":1}'
  expect(blankTransient(record, users.transient)).toBe(
    '{"id":"u","personal_meeting_url":"","type":1}',
  )
  expect(users.transient).toEqual([])
})
