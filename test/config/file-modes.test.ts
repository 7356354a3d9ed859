import { chmodSync, chownSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { examineModes } from '../../src/cli/doctor.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { writableAdvice } from '../../src/config/writable-files.ts'
import { account, jobs, useConfigFolder } from './config-folder.ts'

const { inFolder, load } = useConfigFolder()

interface Spot {
  /** The path in the warning. */
  path: string
  mode: number
  /** Lines of the configuration besides the account. */
  lines?: readonly string[]
  /** Creates the file or folder, if nothing else does. */
  make?(): void
}

function warningsOf({ path, mode, lines = [], make }: Spot): string[] {
  load([...account, ...lines].join('\n'))
  make?.()
  chmodSync(inFolder(path), mode)
  return again()
}

function again(): string[] {
  const { warnings } = loadConfig({ path: inFolder('config.yaml'), jobs, environment: {} })
  return warnings.map((text) => text.replaceAll(inFolder('').replace(/\/?$/, '/'), ''))
}

const state = (name?: string) => () => {
  mkdirSync(inFolder('.callsheet'), { mode: 0o700 })
  if (name !== undefined) writeFileSync(inFolder(`.callsheet/${name}`), 'x', { mode: 0o600 })
}
const SPOTS: Readonly<Record<string, Omit<Spot, 'mode'>>> = {
  'the configuration': { path: 'config.yaml' },
  'the state directory': { path: '.callsheet', make: state() },
  'the token key': { path: '.callsheet/token.key', make: state('token.key') },
  'the evidence key': { path: '.callsheet/evidence.key', make: state('evidence.key') },
  'the columns key': { path: '.callsheet/columns.key', make: state('columns.key') },
  'the folder of the configuration': { path: '.' },
  'the program of an alert': {
    path: 'tell.sh',
    lines: ['alerts: {command: [./tell.sh]}'],
    make: () => writeFileSync(inFolder('tell.sh'), '#!/bin/sh\n'),
  },
}

describe.runIf(process.platform !== 'win32')('warnings about file modes', () => {
  it.each(Object.entries(SPOTS))('name %s if others may write to it', (what, spot) => {
    const isFolder = what.includes('folder') || what.includes('directory')
    const bits = isFolder ? 0o755 : what.includes('key') ? 0o600 : 0o755
    const named = spot.path === '.' ? '' : spot.path
    for (const write of [0o020, 0o002, 0o022]) {
      const warnings = warningsOf({ ...spot, mode: bits | write, make: () => once(spot.make) })
      expect([write, warnings]).toEqual([write, [expect.stringContaining('other users can write')]])
      expect(warnings[0]).toContain(named)
      expect(warnings[0]).toMatch(/chmod (?:go-w|600)/)
    }
    chmodSync(inFolder(spot.path), bits)
    expect(again()).toEqual([])
  })

  it('name a key that others may read, and a secret that others may write', () => {
    const readable = warningsOf({
      path: '.callsheet/token.key',
      mode: 0o640,
      make: state('token.key'),
    })
    expect(readable).toEqual([expect.stringMatching(/token\.key.*other users can read.*chmod 600/)])
    chmodSync(inFolder('.callsheet/token.key'), 0o600)
    writeFileSync(inFolder('secret'), 'x')
    chmodSync(inFolder('secret'), 0o622)
    const secret = load(account.join('\n').replace('env:SECRET', 'file:secret')).warnings
    expect(secret).toEqual([expect.stringMatching(/other users can write .*chmod 600/)])
    chmodSync(inFolder('secret'), 0o666)
    expect(again()).toEqual([expect.stringMatching(/other users can read and write .*chmod 600/)])
  })

  it('do not name a folder with the sticky bit, unless it is the state directory', () => {
    expect(warningsOf({ path: '.', mode: 0o1777 })).toEqual([])
    const own = warningsOf({ path: '.callsheet', mode: 0o1777, make: state() })
    expect(own).toEqual([expect.stringContaining('other users can write')])
  })

  it('name the target of a link, and the folder of the target', () => {
    load(account.join('\n'))
    mkdirSync(inFolder('elsewhere'))
    renameSync(inFolder('config.yaml'), inFolder('elsewhere/real.yaml'))
    symlinkSync('elsewhere/real.yaml', inFolder('config.yaml'))
    expect(again()).toEqual([])
    chmodSync(inFolder('elsewhere/real.yaml'), 0o666)
    expect(again()).toEqual([expect.stringContaining('other users can write')])
    chmodSync(inFolder('elsewhere/real.yaml'), 0o644)
    chmodSync(inFolder('elsewhere'), 0o777)
    expect(again()).toEqual([expect.stringContaining('elsewhere')])
  })

  it('name the first of many account files, and count the others', () => {
    mkdirSync(inFolder('accounts.d'))
    for (let at = 0; at < 50; at++) {
      const own = account.slice(1).map((line) => line.replace(/^ {2}- | {4}/, ''))
      const text = own.join('\n').replace('main', `a${at}`).replace('Id: acc', `Id: acc-${at}`)
      writeFileSync(inFolder(`accounts.d/a${at}.yaml`), text)
      chmodSync(inFolder(`accounts.d/a${at}.yaml`), 0o664)
    }
    const { warnings } = load('accountsDirectory: accounts.d')
    expect(warnings.length).toBeLessThan(10)
    expect(warnings.join('\n')).toContain('accounts.d/a0.yaml')
    expect(warnings.join('\n')).toMatch(/\d\d more/)
  })

  it.runIf(process.getuid?.() === 0)('name a file that belongs to another user', () => {
    load(account.join('\n'))
    chownSync(inFolder('config.yaml'), 12_345, 12_345)
    expect(again()).toEqual([expect.stringMatching(/config\.yaml.*belongs to another user/)])
  })

  it('are replaced by a warning of doctor on Windows, which has no modes', () => {
    load(account.join('\n'))
    chmodSync(inFolder('config.yaml'), 0o666)
    const { config } = loadConfig({ path: inFolder('config.yaml'), jobs, environment: {} })
    const files = [inFolder('config.yaml')]
    expect(writableAdvice(config, files, 'linux')).toHaveLength(1)
    expect(writableAdvice(config, files, 'win32')).toEqual([])
    expect(examineModes('win32')).toMatchObject([{ state: 'warning', check: 'file modes' }])
    expect(examineModes('linux')).toEqual([])
  })
})

let made: (() => void) | undefined
/** Creates a spot only once, for all its modes. */
function once(make: (() => void) | undefined): void {
  if (made !== make) make?.()
  made = make
}
