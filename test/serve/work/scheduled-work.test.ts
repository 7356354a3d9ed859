import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { jobs, reportJobs } from '../../../src/account/catalog.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import { jobsBefore } from '../../../src/core/define/job.ts'
import { fetchedStream } from '../../../src/core/define/stream.ts'
import { scheduledWork } from '../../../src/serve/work/scheduled-work.ts'
import { startInOrder } from '../../../src/sync/job-order.ts'
import { account } from '../../config/config-folder.ts'

/** For each stream read per row of a stream of another job: its job, and the job that reads those rows. */
const PAIRS = jobs.flatMap((child) =>
  child.streams.flatMap(({ name, sync }) => {
    if (sync.kind !== 'fan-out') return []
    const parent = fetchedStream(sync.parent)
    const lister = jobs.find(({ streams }) => streams.includes(parent))
    return lister === child ? [] : [{ name, child, lister }]
  }),
)

it('a service runs each job that reads details after the job that lists them', () => {
  const { works } = scheduledWork(config(), {})
  const after = new Map(works.map((work) => [work.job, work.after ?? []]))
  expect(PAIRS.length).toBeGreaterThan(4)
  for (const { name, child, lister } of PAIRS)
    expect({ name, after: after.get(child.name) }).toEqual({
      name,
      after: expect.arrayContaining([lister?.name]) as unknown,
    })
  // A job that needs no rows of other jobs waits for none.
  expect(after.get('users')).toEqual([])
})

it('a sync runs jobs that list records before jobs that read their details, in any given order', async () => {
  for (const given of [jobs, jobs.toReversed()]) {
    const running = new Set<string>()
    const early: string[] = []
    await Promise.all(
      startInOrder(given, async (job) => {
        running.add(job.name)
        for (const { name } of jobsBefore(job, jobs)) if (!ended.has(name)) early.push(job.name)
        await Promise.resolve()
        ended.add(job.name)
      }),
    )
    expect(early).toEqual([])
    expect(running.size).toBe(jobs.length)
    ended.clear()
  }
})

const ended = new Set<string>()

function config() {
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-parts-'))
  const path = join(folder, 'config.yaml')
  writeFileSync(path, account.join('\n'))
  try {
    return loadConfig({ path, jobs, reportJobs, environment: { SECRET: 'x' } }).config
  } finally {
    rmSync(folder, { recursive: true })
  }
}
