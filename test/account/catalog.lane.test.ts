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

it('names each job of the catalog after its file', () => {
  expect([...jobs, ...reportJobs].map((job) => job.name).toSorted()).toEqual(named('jobs'))
})

it('names each report of the catalog after its file', () => {
  expect(reports.map((report) => report.name).toSorted()).toEqual(named('reports'))
})

it.each(['migrations', 'sandbox/lists'])(
  'includes every file of %s in the built program',
  (folder) => {
    const built = readdirSync(join(dirname(inject('programs').callsheet), folder))
    const names = built.map((file) => file.replace(/\.js$/, '')).toSorted()
    expect(names).toEqual(named(folder))
    expect(names.length).toBeGreaterThan(0)
  },
)

it('reads each declared stream in exactly one job', () => {
  const read = jobs.flatMap(({ streams }) => streams.map(({ name }) => name))
  expect(read.toSorted()).toEqual(declaredStreams.map(({ name }) => name))
})

it('gives each operation of the jobs an ID of its own', () => {
  const operations = new Set(jobs.flatMap((job) => job.streams.map((stream) => stream.operation)))
  expect(new Set([...operations].map(({ id }) => id)).size).toBe(operations.size)
})

it('reads the parents of a fan-out in the same job or in an earlier one', () => {
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
