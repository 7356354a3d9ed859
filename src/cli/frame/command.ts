import { Command, InvalidArgumentError } from 'commander'
import { calledAs } from './called-as.ts'
import type { Context } from './context.ts'

export interface CommonOptions {
  config?: string
  json?: boolean
  verbose?: boolean
  account?: string
}

/** What a command does if its accounts are in several databases and no option names one. */
export type Databases =
  /** It works on one database after another; a database that fails does not stop the others. */
  | 'each'
  /** It needs one of them, because it takes a run's number or makes one result. */
  | 'one'
  /** It opens the databases itself. */
  | 'all'
  | { named: string }

export interface DatabaseOption extends CommonOptions {
  database?: string
}

/**
 * Runs a command's work, with its output, signals and exit code. With `keepsRunning`, messages go to the log
 * unless a person watches the terminal. With `interactive`, a program that the command started handles
 * Ctrl-C. `databases` says what happens if the accounts are in several; by default, one must be named.
 */
export type Runner = (
  options: CommonOptions,
  work: (context: Context) => Promise<number>,
  way?: { keepsRunning?: boolean; interactive?: boolean; databases?: Databases },
) => Promise<void>

/** Defines a command with the common options, and its examples after the help. */
export function defineCommand(name: string, summary: string, examples: readonly string[]): Command {
  return new Command(name)
    .description(summary)
    .option('-c, --config <file>', 'configuration file (default: $CALLSHEET_CONFIG or config.yaml)')
    .option('--json', 'print one JSON document')
    .option('-v, --verbose', 'log every request and print stack traces')
    .allowExcessArguments(false)
    .showHelpAfterError('(add --help for usage)')
    .addHelpText('after', `\nExamples:\n${examples.map(exampleLine).join('\n')}`)
}

/** Continues an example of more than 80 columns on a second line, before its last option. */
function exampleLine(example: string): string {
  const line = `  $ ${calledAs('callsheet')} ${example}`
  return line.length <= 80 ? line : line.replace(/ (--\S+(?: [^ -]\S*)?)$/, ' \\\n      $1')
}

/** Adds the option that names one of several databases to a command that has no `--account`. */
export function withDatabase(command: Command): Command {
  return command.option('--database <name>', 'the database, if there are several')
}

/** For a command that works on one database: the one that the option names, or the only one. */
export function oneOf({ database }: DatabaseOption): Databases {
  return database === undefined ? 'one' : { named: database }
}

/** Collects the values of an option that may be repeated. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value]
}

export function wholeNumber(value: string): number {
  if (!/^[1-9]\d{0,14}$/.test(value))
    throw new InvalidArgumentError(`Expected a whole number from 1 to ${'9'.repeat(15)}.`)
  return Number(value)
}
