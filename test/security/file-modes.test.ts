import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { tokenKey } from '../../src/config/token-key.ts'
import { renderCsv } from '../../src/report/files/csv.ts'
import { renderHtml } from '../../src/report/page/html.ts'
import { makeReportDirectory } from '../../src/report/report-directory.ts'
import { renderXlsx } from '../../src/report/xlsx/xlsx.ts'
import { openHome } from '../../src/warehouse/embedded/embedded-home.ts'
import { exampleDocument, row, table } from '../report/page/document.ts'

let folder: string
let umask: number
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'callsheet-modes-'))
  umask = process.umask()
})
afterEach(() => {
  process.umask(umask)
  rmSync(folder, { recursive: true })
})

describe.each([
  ['000', 0o000],
  ['022', 0o022],
  ['077', 0o077],
])('with the umask %s', (_name, mask) => {
  it('only the owner can access the state folder and its key', () => {
    process.umask(mask)
    const stateDirectory = join(folder, 'deep', 'state')
    tokenKey({ tokenKey: null, stateDirectory })
    expect(modes(folder)).toEqual({
      deep: '700',
      'deep/state': '700',
      'deep/state/token.key': '600',
    })
  })

  it('only the owner can access the embedded database’s folder, password and data', () => {
    process.umask(mask)
    openHome(join(folder, 'state', 'postgres'), undefined)
    expect(modes(folder)).toEqual({
      state: '700',
      'state/postgres': '700',
      'state/postgres/cluster': '700',
      'state/postgres/password': '600',
    })
  })

  it('the database server’s user can pass through root’s folders, but not list them', () => {
    if (process.getuid?.() !== 0) return expect(process.getuid?.()).not.toBe(0)
    process.umask(mask)
    openHome(join(folder, 'state', 'postgres'), { uid: 65_534, gid: 65_534 })
    expect(modes(folder)).toMatchObject({ state: '711', 'state/postgres': '711' })
    expect(modes(folder)['state/postgres/password']).toBe('600')
  })

  it('only the owner can access reports and their folder, even if an old file was open to all', async () => {
    process.umask(mask)
    const out = join(folder, 'out')
    await makeReportDirectory(out)
    writeFileSync(join(out, 'a.csv'), 'old', { mode: 0o666 })
    await renderCsv(table([row('x')]), join(out, 'a.csv'))
    await renderXlsx(exampleDocument(), join(out, 'a.xlsx'))
    await renderHtml(exampleDocument(), join(out, 'a.html'))
    expect(modes(folder)).toEqual({
      out: '700',
      'out/a.csv': '600',
      'out/a.html': '600',
      'out/a.xlsx': '600',
    })
  })
})

describe('a planted symbolic link', () => {
  it.each(['a.csv.part', 'a.csv'])(
    'at %s is replaced, and its target stays unchanged',
    async (name) => {
      const victim = join(folder, 'victim')
      writeFileSync(victim, 'untouched')
      symlinkSync(victim, join(folder, name))
      await renderCsv(table([row('x')]), join(folder, 'a.csv'))
      expect(readFileSync(victim, 'utf8')).toBe('untouched')
      expect(lstatSync(join(folder, 'a.csv')).isFile()).toBe(true)
      expect(readdirSync(folder).toSorted()).toEqual(['a.csv', 'victim'])
    },
  )

  it('in place of the key file does not create a file elsewhere', () => {
    const state = join(folder, 'state')
    mkdirSync(state)
    symlinkSync(join(folder, 'elsewhere'), join(state, 'token.key'))
    expect(() => tokenKey({ tokenKey: null, stateDirectory: state })).toThrow(
      'there is no such file',
    )
    expect(readdirSync(folder)).toEqual(['state'])
  })
})

/** What the folder holds, by path, with its permissions in octal. */
function modes(root: string): Record<string, string> {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted()
  return Object.fromEntries(
    paths.map((path) => [path, (statSync(join(root, path)).mode & 0o777).toString(8)]),
  )
}
