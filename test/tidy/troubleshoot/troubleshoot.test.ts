import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT, sample } from '../source-files.ts'
import { readDeclared, readSamples } from './declared-errors.ts'
import { printTroubleshoot } from './print-troubleshoot.ts'

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

describe('docs/troubleshoot.md', () => {
  it('is the page that npm run docs:troubleshoot prints', () => {
    expect(read('docs/troubleshoot.md')).toBe(printTroubleshoot())
  })

  it('has every cause of bad health', () => {
    const declared = read('src/core/define/cause.ts').matchAll(/^ {2}(\w+): \{ *(again|$)/gm)
    const codes = [...declared].map(([, code = '']) => code)
    const page = printTroubleshoot()
    expect(codes.length).toBeGreaterThan(12)
    expect(codes.filter((code) => !page.includes(`\`${code}\``))).toEqual([])
  })
})

describe('every error', () => {
  const { errors } = readDeclared(['src', 'jobs', 'reports'])

  it('has a code', () => {
    const without = errors.filter(({ codes }) => codes.length === 0)
    expect(without.map(({ path }) => path)).toEqual(NAMED_ELSEWHERE)
  })

  it('says what to do', () => {
    const without = errors.filter(({ todo }) => todo.length === 0)
    expect(without.map(({ path, codes }) => `${path} ${codes.join()}`)).toEqual([
      // `explained` gives the remedy for each status and code of the service.
      'src/api/answers/refusal.ts service_error',
    ])
  })
})

it('the search for error texts follows names, alternatives, functions and spreads', () => {
  const source = sample(
    'src/x.ts',
    `const ADVICE = 'look there'
    function tried(what: string): string { return \`Reading \${what}\` }
    function fail(code: string, found: boolean) {
      const more = { todo: ADVICE }
      return new StoreError(code, { tried: tried('x'), came: found ? 'one' : 'none', ...more })
    }
    fail('not_there', true)`,
  )
  expect(readSamples([source]).errors).toEqual([
    {
      path: 'src/x.ts',
      line: 5,
      codes: ['not_there'],
      tried: ['Reading …'],
      expected: [],
      came: ['one', 'none'],
      todo: ['look there'],
    },
  ])
})

/** They take their code from a table that has its own row on the page. */
const NAMED_ELSEWHERE = [
  'src/store/s3-error.ts',
  'src/api/call/no-content.ts',
  'src/serve/alerts/mail.ts',
]
