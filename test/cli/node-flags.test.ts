import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'

it('is started with the same flags of Node by npm as by its own first line', async () => {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as {
    scripts: Record<string, string>
  }
  const [first = ''] = (await readFile('src/cli/main.ts', 'utf8')).split('\n', 1)
  const started = first.replace('#!/usr/bin/env -S ', '')
  expect(started).toMatch(/^node( --[a-z0-9=-]+)+$/)
  expect(scripts['callsheet']).toBe(`${started} src/cli/main.ts`)
  expect(scripts['demo']).toBe(`${started} src/cli/main.ts demo`)
})
