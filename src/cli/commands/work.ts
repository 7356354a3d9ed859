import type { Command } from 'commander'
import { type CommonOptions, defineCommand, type Runner } from '../frame/command.ts'

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
      run(
        options,
        async (context) => {
          const { work } = await import('../../service/work/work.ts')
          const { serviceDeps } = await import('../archive/service-deps.ts')
          return await work(await serviceDeps(context))
        },
        { keepsRunning: true },
      ),
    )
}
