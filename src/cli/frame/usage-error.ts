import type { CommanderError } from 'commander'
import { ConfigurationError } from '../../core/errors.ts'
import { createOutput } from './output.ts'
import { describeError } from './print-error.ts'

/** The document that a script has from every other error; people have read what commander said. */
export function printUsageError(refused: CommanderError, args: readonly string[]): void {
  if (!asksForJson(args)) return
  const error = new ConfigurationError('wrong_usage', {
    tried: 'Reading the command line',
    came: cameOf(refused),
    todo: 'add --help for what there is',
  })
  createOutput({ json: true }).result({ error: describeError(error) })
}

/** What commander refused was not read to its end, so the words are looked at as they were typed. */
function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return (end < 0 ? args : args.slice(0, end)).includes('--json')
}

/** Where only commands of the command could be meant, its help is all that commander says. */
function cameOf({ code, message }: CommanderError): string {
  return code === 'commander.help' ? 'no command' : message.replace(/^error: /, '')
}
