import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { tokenKey } from '../../src/config/token-key.ts'
import { openHome } from '../../src/warehouse/embedded/embedded-home.ts'

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
})

describe('a planted symbolic link', () => {
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
