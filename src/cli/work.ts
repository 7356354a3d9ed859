import type { Command } from 'commander'
import { work } from '../service/work/work.ts'
import { type CommonOptions, defineCommand, type Runner } from './frame/command.ts'
import { serviceDeps } from './serve.ts'

export function workCommand(run: Runner): Command {
  return defineCommand('work', 'Keep running beside other machines, and share the work with them', [
    'work',
  ])
    .addHelpText(
      'after',
      '\nOn any number of machines, with the same configuration and database. serve is for one machine.\n' +
        'Notifications are received by serve --only notifications.',
    )
    .action((options: CommonOptions) =>
      run(options, async (context) => await work(await serviceDeps(context)), {
        keepsRunning: true,
      }),
    )
}
