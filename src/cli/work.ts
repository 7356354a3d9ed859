import type { Command } from 'commander'
import { type CommonOptions, defineCommand, type Runner } from './frame/command.ts'
import type { Context } from './frame/context.ts'
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
      run(options, (context) => runWork(context), { keepsRunning: true }),
    )
}

async function runWork(context: Context): Promise<number> {
  const { work } = await import('../service/work/work.ts')
  return await work(await serviceDeps(context))
}
