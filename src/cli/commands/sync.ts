import type { Command } from 'commander'
import type { SyncCommandOptions } from '../actions/sync-accounts.ts'
import { defineCommand, type Runner, wholeNumber } from '../frame/command.ts'

export function syncCommand(run: Runner): Command {
  return defineCommand('sync', 'Read what is due from the service into the warehouse', [
    'sync',
    'sync users phone-numbers --account main',
    'sync recordings --full',
    'sync users --approve 42',
  ])
    .argument('[jobs...]', 'which jobs; without names all that are enabled')
    .option('-a, --account <name>', 'only this account; without it all of the configuration')
    .option('--full', 'read everything within the history limits, not only what is due')
    .option(
      '--approve <run>',
      'mark the missing rows as deleted that the run of this number held back',
      wholeNumber,
    )
    .addHelpText('after', AFTER)
    .action((jobs: string[], options: SyncCommandOptions) =>
      run(options, async (context) => {
        const { syncAccounts } = await import('../actions/sync-accounts.ts')
        return await syncAccounts(context, jobs, options)
      }),
    )
}

const AFTER = `
"new", "changed" and "unchanged" count the records that this run read. A nested
record counts only if the record around it was new or had changed, because only
then is it compared. "present" counts all rows of the table.

Exit codes: 0 complete, 1 failed, 2 wrong usage or configuration,
3 paused (the daily quota is exhausted; the next run resumes),
4 some slices incomplete, the deletion guard waits, or nothing of a job is allowed,
5 another process syncs the account, 130 and 143 stopped by a signal.`
