import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const CI = '.github/workflows/ci.yml'

/** Vitest says nothing of a path without tests as long as another one has some. */
it.each([CI, 'test/proof/older/lane.ts', 'package.json'])(
  '%s names only existing tests',
  (path) => {
    const named = read(path).match(/(?<![\w/.])test\/[\w./-]+/g) ?? []
    expect(named).not.toEqual([])
    expect(named.filter((one) => !existsSync(join(ROOT, one)))).toEqual([])
  },
)

it('CI runs only existing scripts', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const run = [...read(CI).matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name)
  expect(run).not.toEqual([])
  expect(run.filter((name) => !(name in scripts))).toEqual([])
})
