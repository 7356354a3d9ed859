import { Command } from 'commander'

/**
 * A command for those who work on Callsheet, with its examples below its help. What it does not know, or
 * cannot read, ends it with 2 before anything is started: a proof of no seeds would find nothing wrong.
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
