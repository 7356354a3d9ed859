import { expect, it } from 'vitest'
import { printRewritten } from '../../src/cli/erase-columns.ts'
import type { Output } from '../../src/cli/frame/output.ts'
import { layOut } from '../../src/cli/frame/table.ts'
import { BLOCKS } from '../docs/pages.ts'

const fields = { email: 'hash', first_name: 'drop', last_name: 'drop' } as const

it('erase --columns lists what a rewrite touches as docs/configure.md shows it', () => {
  const lines: string[] = []
  const output: Output = {
    terminal: false,
    line: (text = '') => void lines.push(text),
    note: (text) => void lines.push(text),
    table: (rows) => void lines.push(...layOut(rows)),
    result: () => {},
  }
  const change = {
    name: 'users',
    stream: undefined,
    stored: '',
    wanted: JSON.stringify({ fields }),
  }
  const done = { changes: [change], tables: { 'svc.users': 200 }, reports: undefined }
  printRewritten(output, { account: 'main', dryRun: true, done })
  const [shown] = BLOCKS.filter(
    ({ page, language }) => page === 'docs/configure.md' && language === 'text',
  )
  expect(shown?.text.trimEnd().split('\n')).toEqual(lines)
})

it('erase --columns has a note about lost values only if an earlier policy is replaced', () => {
  const notes: string[] = []
  const output: Output = {
    terminal: false,
    line: () => {},
    note: (text) => void notes.push(text),
    table: () => {},
    result: () => {},
  }
  const policy = (given: object, key?: string) => JSON.stringify({ fields: given, key })
  const cases = [
    [policy({ email: 'hash' }, 'a'), ''],
    [policy({ email: 'hash' }, 'a'), policy({ email: 'hash' }, 'b')],
    [policy({ dept: 'drop' }), policy({ dept: 'hash' }, 'a')],
    [policy({ dept: 'hash' }, 'a'), policy({ dept: 'drop' })],
    ['', policy({ dept: 'drop' })],
  ]
  const told = cases.map(([stored = '', wanted = '']) => {
    notes.length = 0
    const changes = [{ name: 'users', stream: undefined, stored, wanted }]
    const done = { changes, tables: {}, reports: undefined }
    printRewritten(output, { account: 'main', dryRun: false, done })
    return notes.length
  })
  expect(told).toEqual([1, 1, 1, 1, 0])
})
