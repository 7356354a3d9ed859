import { Command } from 'commander'

/**
 * A command for developers, with examples below its help. Unknown or unreadable arguments end it with 2
 * before anything starts: a proof without seeds would find nothing wrong.
 */
export function toolCommand(name: string, about: string, examples: readonly string[]): Command {
  const lines = examples.map((example) => `  $ ${example}`)
  return new Command(name)
    .description(about)
    .allowExcessArguments(false)
    .showHelpAfterError('(add --help for usage)')
    .addHelpText('after', `\nExamples:\n${lines.join('\n')}`)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
}
