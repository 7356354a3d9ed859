import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { buildProgram } from '../../src/cli/program.ts'
import { ROOT } from '../tidy/source-files.ts'
import { BLOCKS, SPANS } from './pages.ts'

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}
const program = await buildProgram(
  async () => {},
  () => true,
)
const everyCommand = (command: Command): Command[] => [
  command,
  ...command.commands.flatMap(everyCommand),
]
const commands = everyCommand(program)
for (const command of commands) command.configureOutput({ writeErr: () => {} })

const NAMES = program.commands.map((command) => command.name()).join('|')
const CALL = new RegExp(`(?:^|\\s)callsheet (?=(?:${NAMES})\\b)|npm run (?:callsheet|demo) -- `)

/** The command lines of a block: without comments, prompts and output, with continued lines joined. */
function linesOf({ language, text }: { language: string; text: string }): string[] {
  const lines = text.replaceAll(/\\\n\s*/g, '').split('\n')
  return language === 'console'
    ? lines.flatMap((line) => (line.startsWith('$ ') ? [line.slice(2)] : []))
    : lines.map((line) => line.replace(/(?:^|\s)#.*$/, '').trim()).filter((line) => line !== '')
}

const lines = BLOCKS.filter(({ language }) => ['sh', 'console'].includes(language)).flatMap(
  (block) => linesOf(block).map((line) => ({ at: `${block.page}:${block.line}`, line })),
)

/** Values for words in capitals that stand for one; the program checks their form. */
const SAMPLES: Readonly<Record<string, string>> = {
  FINGERPRINT: '0f'.repeat(32),
  'SIZE:ROOT': `12:${Buffer.alloc(32).toString('base64')}`,
}

/** The words after the program's name, or nothing if the line runs another program. */
function wordsOf(line: string): string[] | undefined {
  const call = CALL.exec(line)
  if (call === null) return undefined
  const [own = ''] = line.slice(call.index + call[0].length).split(/ (?:&&|\||>) /)
  const words = own.match(/"[^"]*"|'[^']*'|\S+/g) ?? []
  const plain = words.map((word) => SAMPLES[word] ?? word.replaceAll(/^["']|["']$/g, ''))
  return call[0].includes('demo') ? ['demo', ...plain] : plain
}

describe('command lines in the docs', () => {
  const ours = lines.flatMap(({ at, line }) => {
    const words = wordsOf(line)
    return words === undefined ? [] : [{ at, line, words }]
  })

  it('are found by these tests', () => {
    expect(ours.length).toBeGreaterThan(60)
  })

  it.each(ours)('$at: the program accepts $line', async ({ words }) => {
    await expect(program.parseAsync(words, { from: 'user' })).resolves.toBe(program)
  })

  it('run only npm scripts that exist', () => {
    const named = [...lines.map(({ line }) => line), ...SPANS.map(({ span }) => span)].flatMap(
      (text) => [...text.matchAll(/\bnpm run (\w[\w:-]*)/g)].map(([, name = '']) => name),
    )
    expect(named.length).toBeGreaterThan(10)
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([])
  })
})

describe('commands and options in the text of the docs', () => {
  it('exist', () => {
    const called = SPANS.filter(({ span }) => /^(?:npx )?callsheet [a-z]/.test(span))
    expect(called.length).toBeGreaterThan(100)
    const wrong = called.filter(({ span }) => unknownWord(span.replace(/^(?:npx )?callsheet /, '')))
    expect(wrong).toEqual([])
  })

  it('exist, even if only an option is named', () => {
    const named = SPANS.filter(
      ({ page, span }) => /^--\w/.test(span) && !OTHER_PROGRAMS.has(page) && !OF_OTHERS.has(span),
    )
    expect(named.length).toBeGreaterThan(30)
    const known = new Set(commands.flatMap((command) => optionsOf(command)))
    expect(named.filter(({ span }) => !known.has(span.split(' ')[0] ?? ''))).toEqual([])
  })
})

/** Pages about the benchmarks and the simulation, whose options are not those of `callsheet`. */
const OTHER_PROGRAMS = new Set(['docs/performance.md', 'docs/internals/proof.md'])
/** Options of npm and Node. */
const OF_OTHERS = new Set(['--omit=optional', '--disable-proto=delete', '--no-sandbox'])

function optionsOf(command: Command): string[] {
  const own = command.options.flatMap(({ long, short }) => [long ?? '', short ?? ''])
  return [...own, '--help', ...(command === program ? ['--version'] : [])]
}

/** The first word that is neither a command nor an option there; values and arguments are not judged. */
function unknownWord(call: string): string | undefined {
  let command = program
  for (const word of call.split(' ')) {
    const inner = command.commands.find((one) => one.name() === word)
    if (inner !== undefined) command = inner
    else if (command.commands.length > 0 && !word.startsWith('-')) return word
    else if (word.startsWith('-') && word !== '-' && !optionsOf(command).includes(word)) return word
  }
  return undefined
}
