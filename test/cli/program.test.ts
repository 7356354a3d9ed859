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

/** The name and summary of a command in the list of commands. */
function lineOf(command: Command | undefined) {
  return command && { term: new Help().subcommandTerm(command), summary: command.description() }
}

describe('the table of commands', () => {
  it.each(listed.commands.map((command) => [command.name(), command] as const))(
    'lists %s with the command’s own name and summary',
    (name, command) => {
      expect(lineOf(command)).toEqual(lineOf(declared.commands.find((one) => one.name() === name)))
    },
  )

  it('hides the commands that are declared hidden, and keeps the order', () => {
    const visible = (program: Command) =>
      new Help().visibleCommands(program).map((one) => one.name())
    expect(visible(listed)).toEqual(visible(declared))
    expect(listed.commands.length - visible(listed).length).toBe(1)
  })

  it('statically imports no command', () => {
    const path = 'src/cli/program.ts'
    const program = sample(path, readFileSync(join(ROOT, path), 'utf8'))
    const commands = importsOf(program).filter(
      ({ ours, target }) => ours && !target.startsWith('src/cli/frame/'),
    )
    expect(commands).toHaveLength(listed.commands.length)
    expect(program.text).not.toMatch(/^import .* from '\.\/(?!frame\/)/m)
  })
  it.each(listed.commands.map((command) => command.name()))(
    'can print the help of %s and load no package but commander',
    (name) => {
      expect([...packagesOf(join(ROOT, `src/cli/${name}.ts`))]).toEqual(['commander'])
    },
  )
})

/** The npm packages that a file imports statically, also through other files. Ignores types. */
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
