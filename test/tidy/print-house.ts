import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { catalog } from '../../src/account/catalog.ts'
import { buildProgram } from '../../src/cli/program.ts'
import { configJsonSchema } from '../../src/config/json-schema.ts'
import { demoCoverage } from './demo-coverage.ts'
import { importsOf } from './imports.ts'
import { FLOORS, ROOMS } from './rooms.ts'
import { ROOT, readSources, type SourceFile } from './source-files.ts'

/** How large the house is, by rooms: `npm run house`; with `-- --demo` also what a night of the demo runs. */
async function printHouse(): Promise<string> {
  const program = readSources(['src', 'sandbox', 'jobs', 'reports', 'migrations'])
  const rooms = [...ROOMS, 'sandbox', 'reports', 'jobs', 'migrations'].map((room) => {
    const files = program.filter(({ path }) => roomOf(path) === room)
    return { room, files: files.length, lines: linesOf(files) }
  })
  const inSrc = program.filter(({ path }) => path.startsWith('src/'))
  const { exports, ofOne } = countExports(program)
  const commandLine = await buildProgram(unrun, () => true)
  const facts = [
    ['lines of src', linesOf(inSrc)],
    ['files of src', inSrc.length],
    ['folders that a floor names', Object.values(FLOORS).flat(2).length],
    ['exports', exports],
    ['exports that one file imports', ofOne],
    ['tables of callsheet', countTables(program)],
    ['kinds of settings', kindsOf(settingsOf(JSON.parse(configJsonSchema(catalog)))).length],
    ['commands', commandsOf(commandLine).length],
    ['options, but for those of all', optionsOf(commandLine).length],
    ['packages at run time', Object.keys(packageFile().dependencies).length],
  ] as const
  const run = process.argv.includes('--demo')
    ? [['percent of src that a demo runs', Math.round(demoCoverage(inSrc) * 100)] as const]
    : []
  const table = rooms.map(
    ({ room, files, lines }) => `${room.padEnd(12)}${pad(files, 6)}${pad(lines, 8)}`,
  )
  const told = [...facts, ...run].map(([what, count]) => `${what.padEnd(32)}${pad(count, 8)}`)
  return [`${'room'.padEnd(12)} files   lines`, ...table, '', ...told, ''].join('\n')
}

const pad = (count: number, width: number): string => String(count).padStart(width)

function roomOf(path: string): string {
  const [top = '', second = ''] = path.split('/')
  return top === 'src' ? second : top
}

function linesOf(files: readonly SourceFile[]): number {
  return files.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0)
}

/** What is exported by name, and how much of it only one other file of the program imports. */
function countExports(program: readonly SourceFile[]): { exports: number; ofOne: number } {
  const importers = new Map<string, SourceFile[]>()
  for (const file of program)
    for (const { ours, target } of importsOf(file))
      if (ours) importers.set(target, [...(importers.get(target) ?? []), file])
  const named = program.flatMap(({ path, text }) =>
    [...text.matchAll(EXPORT)].map(([, name = '']) => {
      const word = new RegExp(`\\b${name}\\b`)
      return (importers.get(path) ?? []).filter((file) => word.test(file.text)).length
    }),
  )
  return { exports: named.length, ofOne: named.filter((users) => users === 1).length }
}

/** Tables as their printed types have them, without the partitions. */
function countTables(program: readonly SourceFile[]): number {
  const types = program.filter(({ path }) => /^src\/core\/tables\/\w+-tables\.ts$/.test(path))
  return types.flatMap(({ text }) => [...text.matchAll(/^ {2}'callsheet\.\w+':/gm)]).length
}

interface Schema {
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  items?: Schema
  anyOf?: Schema[]
}

/** Where one may write a value; the keys of a map and the items of a list count once, as do accounts' own. */
function settingsOf(schema: Schema, at = ''): string[] {
  const { properties = {}, additionalProperties, items, anyOf = [] } = schema
  const inner = [
    ...Object.entries(properties).flatMap(([name, one]) => settingsOf(one, `${at}.${name}`)),
    ...anyOf.flatMap((one) => settingsOf(one, at)),
    ...(typeof additionalProperties === 'object'
      ? settingsOf(additionalProperties, `${at}.*`)
      : []),
    ...(items === undefined ? [] : settingsOf(items, at)),
  ]
  return inner.length === 0 ? [at.replace(/^\.accounts\.\*/, '')] : inner
}

function commandsOf(command: Command): Command[] {
  const { commands } = command
  return commands.length === 0 ? [command] : commands.flatMap(commandsOf)
}

/** The settings of each job, task and label are of one kind; null beside an object is none of its own. */
function kindsOf(settings: readonly string[]): string[] {
  const kinds = [
    ...new Set(settings.map((at) => at.replace(/\.(jobs|tasks|quotas)\.[^.]+/, '.$1.*'))),
  ]
  return kinds.filter((kind) => !kinds.some((other) => other.startsWith(`${kind}.`)))
}

/** Those that `--help` shows for one command and not for all. */
function optionsOf(program: Command): string[] {
  const commands = commandsOf(program).map(({ options }) => options.map(({ flags }) => flags))
  const shared = (flags: string) => commands.filter((one) => one.includes(flags)).length
  return commands.flat().filter((flags) => shared(flags) * 2 < commands.length)
}

function packageFile(): { dependencies: Record<string, string> } {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as ReturnType<
    typeof packageFile
  >
}

const unrun = () => Promise.resolve()
const EXPORT =
  /^export (?:async |abstract )*(?:const|function\*?|class|interface|type|let|enum) (\w+)/gm

process.stdout.write(await printHouse())
