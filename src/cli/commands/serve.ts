import type { Command } from 'commander'
import { Option } from 'commander'
import { defineCommand, type Runner } from '../frame/command.ts'
import type { ServeOptions } from '../serve/serve.ts'

export function serveCommand(run: Runner): Command {
  return defineCommand('serve', 'Keep running: jobs when they are due, notifications, health', [
    'serve',
    'serve --account main',
    'serve --only notifications',
  ])
    .option('-a, --account <name>', 'only this account')
    .addOption(
      new Option('--only <part>', 'only one part of it').choices(['schedule', 'notifications']),
    )
    .addHelpText(
      'after',
      '\nWhat was due while it did not run is caught up at the start.\n' +
        'Notifications are received for each account that has notificationSecrets: register HTTPS\n' +
        'addresses of your own with the service, which lead to those that it logs.',
    )
    .action((options: ServeOptions) =>
      run(
        options,
        async (context) => {
          const { serve } = await import('../serve/serve.ts')
          return await serve(context, options)
        },
        { keepsRunning: true },
      ),
    )
}
