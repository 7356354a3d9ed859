import type { Command } from 'commander'
import type { ListenCommandOptions } from '../actions/listen-for-notifications.ts'
import { defineCommand, type Runner } from '../frame/command.ts'

export function listenCommand(run: Runner): Command {
  return defineCommand('listen', 'Keep running and take what the service tells by itself', [
    'listen',
    'listen --account main',
  ])
    .option('-a, --account <name>', 'only this account')
    .addHelpText(
      'after',
      '\nEach account needs notificationSecrets. A sync can run meanwhile.\n' +
        'Register HTTPS addresses of your own that lead to those that it prints.',
    )
    .action((options: ListenCommandOptions) =>
      run(options, async (context) => {
        const { listenForNotifications } = await import('../actions/listen-for-notifications.ts')
        return await listenForNotifications(context, options)
      }),
    )
}
