import { expect, it } from 'vitest'
import { jobs } from '../../src/cli/catalog.ts'

it('a field that one stream never stores is stored by no other', () => {
  const streams = [...new Set(jobs.flatMap((job) => job.streams))]
  const dropped = new Set(streams.flatMap(({ transient }) => transient))
  expect(dropped).toContain('personal_meeting_url')
  const kept = streams.flatMap(({ name, columns, also = [] }) =>
    [...Object.keys(columns), ...also].flatMap((field) =>
      dropped.has(field) ? [`${name}.${field}`] : [],
    ),
  )
  expect(kept).toEqual([])
})
