import type { Command } from 'commander'
import type { ArchiveCommandOptions } from '../../archive/archive-accounts.ts'
import { defineCommand, type Runner } from '../../frame/command.ts'
import { archiveHoldCommand } from './hold.ts'
import { archivePruneCommand } from './prune.ts'

export function archiveCommand(run: Runner): Command {
  return defineCommand(
    'archive',
    'Fetch the files that are still to be archived, and keep them as long as they must be kept',
    ['archive', 'archive --account main', 'archive prune --dry-run', 'archive hold list'],
  )
    .option('-a, --account <name>', 'only this account; without it all of the configuration')
    .option('--retry', 'ask once more for what is missing')
    .addHelpText('after', EXIT_CODES)
    .enablePositionalOptions()
    .addCommand(archivePruneCommand(run))
    .addCommand(archiveHoldCommand(run))
    .action((options: ArchiveCommandOptions) =>
      run(options, async (context) => {
        const { archiveAccounts } = await import('../../archive/archive-accounts.ts')
        return await archiveAccounts(context, options)
      }),
    )
}

const EXIT_CODES = `
Exit codes: 0 complete, 1 failed, 2 wrong usage or configuration,
3 paused (the daily quota is exhausted), 4 some files lost, refused or not fetched yet,
5 another process works on the account, 130 and 143 stopped by a signal.`
