import type { Command } from 'commander'
import type { StatusOptions } from '../actions/show-status.ts'
import { defineCommand, type Runner } from '../frame/command.ts'

export function statusCommand(run: Runner): Command {
  return defineCommand('status', 'Show how complete and how fresh the warehouse is', [
    'status',
    'status --account main --json',
  ])
    .option('-a, --account <name>', 'only this account')
    .action((options: StatusOptions) =>
      run(options, async (context) => {
        const { showStatus } = await import('../actions/show-status.ts')
        return await showStatus(context, options)
      }),
    )
}
