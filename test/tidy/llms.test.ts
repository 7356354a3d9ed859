import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { printLlms } from './print-llms.ts'
import { ROOT } from './source-files.ts'

it('llms.txt lists the pages as npm run docs:llms prints them', () => {
  expect(readFileSync(join(ROOT, 'llms.txt'), 'utf8')).toBe(printLlms())
})
