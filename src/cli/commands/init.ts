import type { Command } from 'commander'
import { type CommonOptions, defineCommand, type Runner } from '../frame/command.ts'

export function initCommand(run: Runner): Command {
  return defineCommand('init', 'Make a configuration and the keys, where there are none yet', [
    'init',
    'init --config /etc/callsheet/config.yaml --json',
  ])
    .addHelpText(
      'after',
      '\nNothing of yours is overwritten: it can be run again, and brings the schema up to date.',
    )
    .action((options: CommonOptions) =>
      run(options, async (context) => {
        const { initialise } = await import('../actions/initialise.ts')
        return await initialise(context, options)
      }),
    )
}
