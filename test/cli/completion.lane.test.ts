import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { start } from './workbench.ts'

const folder = mkdtempSync(join(tmpdir(), 'callsheet-completion-'))
const scripts = new Map<string, string>()
const has = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0

beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { stdout } = await start(['completion', shell], { folder }).ended
    scripts.set(shell, stdout)
  }
})
afterAll(() => rmSync(folder, { recursive: true }))

/** The completions that bash offers for the last of these words. */
function offered(...words: string[]): string[] {
  const typed = ['callsheet', ...words].map((word) => `'${word}'`).join(' ')
  const script = `${scripts.get('bash') ?? ''}
    COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _callsheet
    complete -p callsheet >&2; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8' })
  expect(stderr).toBe('complete -o default -F _callsheet callsheet\n')
  return stdout.split('\n').filter((word) => word !== '')
}

describe('the completion script for bash', () => {
  it.each<[words: string[], expected: string[]]>([
    [['sy'], ['sync']],
    [['re'], ['report', 'restored']],
    [['sync', 'phone'], ['phone-numbers']],
    [['sync', 'users', '--acc'], ['--account']],
    [['plan', 'users', '--str'], ['--stream']],
    [['report', 'number-'], ['number-inventory']],
    [['export', 'peering'], ['peering_numbers']],
    [['preview', 'peering'], ['peering_numbers']],
    [['audit', 'exp'], ['export']],
    [['audit', 'export', '--fr'], ['--from']],
    [['demo', '--mut'], ['--mutate']],
    [['completion', 'f'], ['fish']],
    [['demo', '--out', './'], []],
    [['config-sch'], []],
  ])('completes %j to %j', (words, expected) => {
    expect(offered(...words)).toEqual(expected)
  })

  it('offers every command', async () => {
    const { stdout } = await start(['--help'], { folder }).ended
    const [, list = ''] = /^Commands:\n([^]*?)\n\n/m.exec(stdout) ?? []
    const commands = [...list.matchAll(/^ {2}([\w-]+)/gm)].map(([, name]) => name)
    expect(commands.length).toBeGreaterThan(20)
    expect(offered('').filter((word) => !word.startsWith('-'))).toEqual(commands)
  })
})

it.skipIf(!has('zsh'))('zsh accepts its completion script', () => {
  const { status, stderr } = spawnSync('zsh', ['-fc', scripts.get('zsh') ?? ''], {
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([0, ''])
})

it.skipIf(!has('fish'))('fish offers the completions of its completion script', () => {
  const script = `${scripts.get('fish') ?? ''}\ncomplete -C 'callsheet sy'`
  const { stdout } = spawnSync('fish', ['--no-config', '-c', script], { encoding: 'utf8' })
  expect(stdout).toContain('sync')
})
