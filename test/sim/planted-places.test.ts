import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PLANTED } from './planted.ts'

test.each(Object.entries(PLANTED))('%s has exactly one place in the source', (_name, bug) => {
  const source = readFileSync(new URL(`../../${bug.file}`, import.meta.url), 'utf8')
  expect(source.split(bug.find)).toHaveLength(2)
  expect(bug.replace).not.toBe(bug.find)
})
