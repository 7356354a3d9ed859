import type { Command } from 'commander'
import type { PruneLedgersOptions } from '../../actions/prune-ledgers.ts'
import { defineCommand, type Runner } from '../../frame/command.ts'

export function ledgerPruneCommand(run: Runner): Command {
  return defineCommand(
    'prune',
    'Remove the months of the ledgers that are older than the setting ledger keeps them',
    ['ledger prune --dry-run', 'ledger prune --yes'],
  )
    .option('--dry-run', 'say what would go; change nothing')
    .option('--yes', 'do it, for all accounts of the database: nothing brings it back')
    .action((options: PruneLedgersOptions) =>
      run(options, async (context) => {
        const { pruneLedgers } = await import('../../actions/prune-ledgers.ts')
        return await pruneLedgers(context, options)
      }),
    )
}
