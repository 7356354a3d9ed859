import type { Command } from 'commander'
import { Option } from 'commander'
import type { PartOptions } from '../../service/work/parts.ts'
import { type CommonOptions, defineCommand, type Runner } from '../frame/command.ts'

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
    .action((options: CommonOptions & PartOptions) =>
      run(
        options,
        async (context) => {
          const { serve } = await import('../../service/work/serve.ts')
          const { serviceDeps } = await import('../archive/service-deps.ts')
          return await serve(await serviceDeps(context), options)
        },
        { keepsRunning: true },
      ),
    )
}
