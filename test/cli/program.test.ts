import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Command, Help } from 'commander'
import { describe, expect, it } from 'vitest'
import { buildProgram } from '../../src/cli/program.ts'
import { importsOf } from '../tidy/imports.ts'
import { ROOT, sample } from '../tidy/source-files.ts'

const build = (isNamed: (name: string) => boolean) => buildProgram(async () => {}, isNamed)
const listed = await build(() => false)
const declared = await build(() => true)

/** A line of the list of commands. */
function lineOf(command: Command | undefined) {
  return command && { term: new Help().subcommandTerm(command), summary: command.description() }
}

describe('the table of commands', () => {
  it.each(listed.commands.map((command) => [command.name(), command] as const))(
    'lists %s as the command declares itself',
    (name, command) => {
      expect(lineOf(command)).toEqual(lineOf(declared.commands.find((one) => one.name() === name)))
    },
  )

  it('hides what each command hides, in the same order', () => {
    const visible = (program: Command) =>
      new Help().visibleCommands(program).map((one) => one.name())
    expect(visible(listed)).toEqual(visible(declared))
    expect(listed.commands.length - visible(listed).length).toBe(1)
  })

  it('is read without a command: what it imports at once is the frame', () => {
    const path = 'src/cli/program.ts'
    const program = sample(path, readFileSync(join(ROOT, path), 'utf8'))
    const commands = importsOf(program).filter(
      ({ ours, target }) => ours && !target.startsWith('src/cli/frame/'),
    )
    expect(commands).toHaveLength(listed.commands.length)
    expect(program.text).not.toMatch(/^import .* from '\.\/(?!frame\/)/m)
  })
  it.each(listed.commands.map((command) => command.name()))(
    'says the words of %s without what its work needs',
    (name) => {
      expect([...packagesOf(join(ROOT, `src/cli/${name}.ts`))]).toEqual(['commander'])
    },
  )
})

/** What is installed of libraries and loaded with a file: types and what is imported later do not count. */
function packagesOf(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return new Set()
  seen.add(path)
  const imports = readFileSync(path, 'utf8').matchAll(
    /^(?:import|export) (?!type )[^']*? from '(.+)'$/gm,
  )
  const found = [...imports]
    .map(([, name = '']) => name)
    .filter((name) => !name.startsWith('node:'))
  return new Set(
    found.flatMap((name) =>
      name.startsWith('.') ? [...packagesOf(join(dirname(path), name), seen)] : [name],
    ),
  )
}
