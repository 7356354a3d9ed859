import type { Command } from 'commander'
import type { StatusOptions } from '../actions/show-status.ts'
import { defineCommand, type Runner } from '../frame/command.ts'

export function statusCommand(run: Runner): Command {
  return defineCommand(
    'status',
    'Show whether all is well, and how complete and how fresh the warehouse is',
    ['status', 'status --account main --json'],
  )
    .addHelpText('after', NOTES)
    .option('-a, --account <name>', 'only this account')
    .action((options: StatusOptions) =>
      run(options, async (context) => {
        const { showStatus } = await import('../actions/show-status.ts')
        return await showStatus(context, options)
      }),
    )
}

const NOTES =
  '\nExit codes: 0 all is well, or only amber; 1 a cause is red. docs/health.md has all causes.'
