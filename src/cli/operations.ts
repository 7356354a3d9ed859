import type { Command } from 'commander'
import { type CommonOptions, defineCommand, type Runner } from './frame/command.ts'

export function operationsCommand(run: Runner): Command {
  return defineCommand('operations', 'List API operations, or show one in detail', [
    'operations',
    'operations phone_numbers.allocate',
    'operations --json',
  ])
    .argument('[id]', 'operation ID, e.g. users.list')
    .action((id: string | undefined, options: CommonOptions) =>
      run(options, async (context) => {
        const { showOperations } = await import('./frame/show-operations.ts')
        return showOperations(context, id)
      }),
    )
}
