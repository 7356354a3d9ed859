import type { Command } from 'commander'
import type { AlertOptions } from '../actions/show-alerts.ts'
import { defineCommand, type Runner } from '../frame/command.ts'

export function alertCommand(run: Runner): Command {
  return defineCommand('alert', 'Show which alerts are open, or try how they are told', [
    'alert',
    'alert --json',
    'alert --test',
  ])
    .option('--test', "send a test message to each channel, and ping the dead man's switch")
    .addHelpText(
      'after',
      '\nExit code of --test: 1 when a channel did not take it, 2 when there is no channel.',
    )
    .action((options: AlertOptions) =>
      run(options, async (context) => {
        if (options.test === true) {
          const { testAlerts } = await import('../actions/test-alerts.ts')
          return await testAlerts(context)
        }
        const { showAlerts } = await import('../actions/show-alerts.ts')
        return await showAlerts(context)
      }),
    )
}
