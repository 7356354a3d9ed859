import type { CommanderError } from 'commander'
import { ConfigurationError } from '../../core/errors.ts'
import { createOutput } from './output.ts'
import { describeError } from './print-error.ts'

/** With `--json`, prints the document that scripts expect for an error. Commander has informed people. */
export function printUsageError(refused: CommanderError, args: readonly string[]): void {
  if (!asksForJson(args)) return
  const error = new ConfigurationError('wrong_usage', {
    tried: 'Reading the command line',
    came: cameOf(refused),
    todo: 'run the command with --help',
  })
  createOutput({ json: true }).result({ error: describeError(error) })
}

/** Whether the arguments contain `--json`. Commander cannot tell, because it stops parsing at an error. */
function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return (end < 0 ? args : args.slice(0, end)).includes('--json')
}

/** Describes the error. If a required subcommand is missing, commander prints only the help. */
function cameOf({ code, message }: CommanderError): string {
  return code === 'commander.help' ? 'no command was given' : message.replace(/^error: /, '')
}
