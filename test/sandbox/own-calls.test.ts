import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT, readSources } from '../tidy/source-files.ts'

it('docs/sandbox.md lists exactly the sandbox’s own control calls', () => {
  const page = readFileSync(join(ROOT, 'docs', 'sandbox.md'), 'utf8')
  const told = [...page.matchAll(/^\| `(GET|POST) (\/__sandbox\/[\w/-]+)` \|/gm)]
  const served = readSources(['sandbox']).flatMap(({ text }) => [
    ...text.matchAll(/app\.(get|post)\(\s*'(\/__sandbox\/[^']+)'/g),
  ])
  const listed = ([, method = '', path = '']: readonly string[]): string =>
    `${method.toUpperCase()} ${path.replace(':stream', 'STREAM')}`
  expect(served.length).toBeGreaterThan(10)
  expect(told.map(listed).toSorted()).toEqual(served.map(listed).toSorted())
})
