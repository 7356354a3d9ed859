import { Command, InvalidArgumentError } from 'commander'
import { calledAs } from './called-as.ts'
import type { Context } from './context.ts'

/** The options that every command has. */
export interface CommonOptions {
  config?: string
  json?: boolean
  verbose?: boolean
}

/**
 * Carries a command's work out, with its output, its signals and its exit code. A command that `keepsRunning`
 * says everything as lines of the log, unless a person watches its terminal. An `interactive` one leaves
 * Ctrl-C to a program that it has started.
 */
export type Runner = (
  options: CommonOptions,
  work: (context: Context) => Promise<number>,
  way?: { keepsRunning: boolean; interactive?: boolean },
) => Promise<void>

/** A command with the options that all share, and its examples below its help. */
export function defineCommand(name: string, summary: string, examples: readonly string[]): Command {
  return new Command(name)
    .description(summary)
    .option('-c, --config <file>', 'configuration file (default: $CALLSHEET_CONFIG or config.yaml)')
    .option('--json', 'print one JSON document')
    .option('-v, --verbose', 'log every request and print stack traces')
    .allowExcessArguments(false)
    .showHelpAfterError('(add --help for usage)')
    .addHelpText(
      'after',
      `\nExamples:\n${examples.map((example) => `  $ ${calledAs('callsheet')} ${example}`).join('\n')}`,
    )
}

/** For options that may be given several times. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value]
}

export function wholeNumber(value: string): number {
  if (!/^[1-9]\d{0,14}$/.test(value))
    throw new InvalidArgumentError(`Expected a whole number from 1 to ${'9'.repeat(15)}.`)
  return Number(value)
}
