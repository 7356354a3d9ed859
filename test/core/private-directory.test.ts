import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makePrivateDirectory } from '../../src/core/private-directory.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'callsheet-private-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const modeOf = (...path: string[]): string =>
  (statSync(join(folder, ...path)).mode & 0o777).toString(8)

describe('a private directory', () => {
  it('is created with its parents, all only for the owner, and existing ones stay unchanged', () => {
    const before = modeOf()
    makePrivateDirectory(join(folder, 'a', 'b'))
    makePrivateDirectory(join(folder, 'a', 'b'))
    makePrivateDirectory(join(folder, 'a', 'open', 'way'), { passable: true })
    expect([modeOf(), modeOf('a'), modeOf('a', 'b')]).toEqual([before, '700', '700'])
    expect([modeOf('a', 'open'), modeOf('a', 'open', 'way')]).toEqual(['711', '711'])
  })

  it('is not created at the path of a file or below one', () => {
    writeFileSync(join(folder, 'file'), '')
    expect(() => makePrivateDirectory(join(folder, 'file'))).toThrow(/EEXIST/)
    expect(() => makePrivateDirectory(join(folder, 'file', 'x', 'y'))).toThrow(/ENOTDIR|EEXIST/)
  })

  it.runIf(existsSync('/proc'))('fails at once if the system creates no folder there', () => {
    const at = new URL('../../src/core/private-directory.ts', import.meta.url).href
    const script = `import { makePrivateDirectory } from '${at}'; makePrivateDirectory('/proc/none/x')`
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      timeout: 30_000,
    })
    expect(stderr).toContain("no such file or directory, mkdir '/proc/none'")
  })
})
