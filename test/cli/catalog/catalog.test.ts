import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { jobs, migrations, reports } from '../../../src/cli/catalog/catalog.ts'

const named = (folder: string): string[] =>
  readdirSync(join(import.meta.dirname, '..', '..', '..', folder))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.replace(/\.ts$/, ''))
    .toSorted()

it('the catalog knows every job by the name of its file', () => {
  expect(jobs.map((job) => job.name).toSorted()).toEqual(named('jobs'))
})

it('the catalog knows every report by the name of its file', () => {
  expect(reports.map((report) => report.name).toSorted()).toEqual(named('reports'))
})

it('the catalog knows every migration by the name of its file', () => {
  expect(Object.keys(migrations).toSorted()).toEqual(named('migrations'))
})

it('no two operations of the jobs share an id', () => {
  const operations = new Set(jobs.flatMap((job) => job.streams.map((stream) => stream.operation)))
  expect(new Set([...operations].map(({ id }) => id)).size).toBe(operations.size)
})

it('what lists the parents of a fan-out is in the same job, or in one before it', () => {
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
