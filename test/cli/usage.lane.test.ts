import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { catalog } from '../../src/account/catalog.ts'
import { buildProgram } from '../../src/cli/program.ts'
import { configJsonSchema } from '../../src/config/json-schema.ts'
import { type Ended, start } from './workbench.ts'

const { commands: listed } = await buildProgram(
  async () => {},
  () => false,
)
const commands = listed.map((command) => command.name())

const AUDIT = ['report', 'whiteboard-audit', '--from', '2026-07-01']

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'callsheet-usage-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const run = (...args: string[]): Promise<Ended> => start(args, { folder }).ended

describe('help', () => {
  it('lists the commands and how to start', async () => {
    const { code, stdout } = await run('--help')
    expect(code).toBe(0)
    for (const name of [
      'sync',
      'plan',
      'report',
      'status',
      'runs',
      'doctor',
      'serve',
      'migrate',
      'sandbox',
    ])
      expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
    expect(stdout).toContain('callsheet doctor')
  })

  it.each(commands)('of %s has a summary and an example', async (name) => {
    const { code, stdout } = await run(name, '--help')
    expect(code).toBe(0)
    expect(stdout).toMatch(new RegExp(`Examples:\n  \\$ callsheet ${name}`))
    expect(stdout).toContain('--json')
  })

  it('of call explains the exit code without --yes', async () => {
    expect((await run('call', '--help')).stdout).toContain('not sent (exit code 2).')
  })

  it('of plan states that it changes the database', async () => {
    expect((await run('plan', '--help')).stdout).toContain('migrates the database first')
  })

  it.each([[['--help']], [['erase', '--help']]])(
    'of %j ends without an error if its reader closes the pipe',
    async (args) => {
      const { child, ended } = start(args, { folder })
      child.stdout?.destroy()
      expect(await ended).toMatchObject({ code: 0, stderr: '' })
    },
  )
})

it.each([[['stdout']], [['stderr']], [['stdout', 'stderr']]] as const)(
  'a failed command keeps its exit code even if nobody reads its %j',
  async (closed) => {
    const { child, ended } = start(['status', '--json'], { folder })
    for (const name of closed) child[name]?.destroy()
    const { code, stdout, stderr } = await ended
    expect(code).toBe(2)
    expect(stdout !== '').toBe(!closed.some((name) => name === 'stdout'))
    expect(stderr !== '').toBe(closed.every((name) => name === 'stdout'))
  },
)

it('callsheet prints its version, and the schema of its configuration', async () => {
  expect((await run('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  expect((await run('config-schema')).stdout).toBe(configJsonSchema(catalog))
})

describe('wrong usage exits with 2 and one clear message:', () => {
  it.each([
    ['nothing', [], 'Usage: callsheet'],
    ['an unknown command', ['snyc'], 'Did you mean sync?'],
    ['an unknown option', ['sync', '--ful'], "unknown option '--ful'"],
    ['an impossible month', ['report', 'x', '--month', '2026-13'], 'Expected a month from 2000-01'],
    ['a month too early', ['report', 'x', '--month', '1999-01'], 'Expected a month from 2000-01'],
    [
      'a day that does not exist',
      ['report', 'x', '--to', '2026-02-30'],
      'Expected a day of the calendar',
    ],
    [
      'a day that does not exist, by its option',
      ['report', 'x', '--to', '2026-02-30'],
      "'--to <yyyy-mm-dd>'",
    ],
    [
      'a day of a bundle that does not exist',
      ['audit', 'export', '--to', '2026-02-30'],
      'a day of the calendar',
    ],
    ['two periods', [...AUDIT, '--month', '2026-06', '--to', '2026-07-14'], 'use either --month'],
    ['a run that is not a number', ['runs', 'last'], 'Expected a whole number'],
    [
      'a number too large',
      ['runs', '-n', '9'.repeat(20)],
      `whole number from 1 to ${'9'.repeat(15)}.`,
    ],
    [
      'an unsupported format',
      ['report', 'x', '--format', 'docx'],
      'Expected xlsx, html, csv, parquet or pdf',
    ],
    ['too many names', ['status', 'x'], 'too many arguments'],
    ['no configuration', ['status'], 'create a configuration with callsheet init'],
    ['a missing configuration file', ['status', '--config', 'no.yaml'], 'no such file'],
  ])('%s', async (_name, args, message) => {
    const { code, stdout, stderr } = await run(...args)
    expect(stderr).toContain(message)
    expect(stderr).not.toMatch(/\n {4}at /)
    expect(stdout).toBe('')
    expect(code).toBe(2)
  })

  it.each([
    ['an unknown command', ['sycn', '--json'], 'Did you mean sync?'],
    ['an option before the command', ['--json', 'sync'], "unknown option '--json'"],
    ['a run that is not a number', ['runs', 'abc', '--json'], "'abc' is invalid"],
    ['a missing day', ['audit', 'export', '--json'], '--from <yyyy-mm-dd>'],
    ['a missing subcommand', ['audit', '--json'], 'no command'],
  ])('%s, also as JSON', async (_name, args, came) => {
    const { code, stdout, stderr } = await run(...args)
    const { error } = JSON.parse(stdout) as { error: Record<string, string> }
    expect(error).toMatchObject({ code: 'wrong_usage', tried: 'Reading the command line' })
    expect(error.came).toContain(came)
    expect(error.came).not.toMatch(/^error:/)
    expect(stderr).not.toBe('')
    expect(code).toBe(2)
  })

  it('a mistake in the configuration, with its place, also as JSON', async () => {
    writeFileSync(join(folder, 'bad.yaml'), 'acounts: []\n')
    const plain = await run('sync', '-c', 'bad.yaml')
    expect(plain.stderr).toContain('bad.yaml:1:1 acounts is not a setting; did you mean accounts?')
    expect(plain.code).toBe(2)
    const json = await run('sync', '-c', 'bad.yaml', '--json')
    expect(JSON.parse(json.stdout)).toMatchObject({ error: { code: 'configuration_invalid' } })
    expect(json.code).toBe(2)
  })
})

it('an error is JSON only if --json is an option, and help is never JSON', async () => {
  expect((await run('call', '--ful', '--', '--json')).stdout).toBe('')
  expect((await run('sync', '--json', '--help')).stdout).toMatch(/^Usage: callsheet sync/)
})
