import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, inject, it } from 'vitest'
import { jobs, reportJobs, reports } from '../../src/account/catalog.ts'
import { declaredStreams } from '../../src/resources/declared.ts'

const named = (folder: string): string[] =>
  readdirSync(join(import.meta.dirname, '..', '..', folder))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.replace(/\.ts$/, ''))
    .toSorted()

it('each job of the catalog is named after its file', () => {
  expect([...jobs, ...reportJobs].map((job) => job.name).toSorted()).toEqual(named('jobs'))
})

it('each report of the catalog is named after its file', () => {
  expect(reports.map((report) => report.name).toSorted()).toEqual(named('reports'))
})

it.each(['migrations', 'sandbox/lists'])(
  'the built program includes every file of %s',
  (folder) => {
    const built = readdirSync(join(dirname(inject('programs').callsheet), folder))
    const names = built.map((file) => file.replace(/\.js$/, '')).toSorted()
    expect(names).toEqual(named(folder))
    expect(names.length).toBeGreaterThan(0)
  },
)

it('each declared stream is read by exactly one job', () => {
  const read = jobs.flatMap(({ streams }) => streams.map(({ name }) => name))
  expect(read.toSorted()).toEqual(declaredStreams.map(({ name }) => name))
})

it('each operation of the jobs has a unique ID', () => {
  const operations = new Set(jobs.flatMap((job) => job.streams.map((stream) => stream.operation)))
  expect(new Set([...operations].map(({ id }) => id)).size).toBe(operations.size)
})

it('the parents of detail lists are read by the same job or an earlier one', () => {
  const listed = new Set<string>()
  const early: string[] = []
  for (const { name, streams } of jobs) {
    for (const stream of streams) listed.add(stream.name)
    for (const { sync } of streams)
      if (sync.kind === 'fan-out' && !listed.has(sync.parent.name)) early.push(name)
  }
  expect(early).toEqual([])
  expect(listed.size).toBeGreaterThan(20)
})
