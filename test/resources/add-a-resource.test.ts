import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { afterStep, guideSteps } from './guide.ts'

const root = join(import.meta.dirname, '..', '..')

// `add-a-resource.lane.test.ts` tests the result of the steps.
it('the guide adds a resource in five files, with changes that fit the existing files', () => {
  const steps = guideSteps()
  const there = steps.filter(({ file }) => existsSync(join(root, file)))
  expect(there.map(({ file }) => file)).toEqual(['src/resources/all.ts', 'jobs/users.ts'])
  expect(steps.map(({ file }) => file.replace(/\/[^/]*$/, ''))).toEqual([
    'src/resources',
    'src/resources',
    'migrations',
    'jobs',
    'sandbox/lists',
  ])
  const more = there.map((step) => {
    const before = readFileSync(join(root, step.file), 'utf8')
    return afterStep(step, before).split('\n').length - before.split('\n').length
  })
  expect(more).toEqual([1, 1])
})
