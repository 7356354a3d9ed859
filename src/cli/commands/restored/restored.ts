import type { Command } from 'commander'
import type { RestoredOptions } from '../../actions/restore-accounts.ts'
import { defineCommand, type Runner } from '../../frame/command.ts'

export function restoredCommand(run: Runner): Command {
  return defineCommand('restored', 'Go on after the database was restored from a backup', [
    'restored --dry-run',
    'restored',
    'restored --account main',
    'restored --enter-break',
  ])
    .option('-a, --account <name>', 'only this account')
    .option('--dry-run', 'say what is lost; change nothing')
    .option(
      '--enter-break',
      'as the holder of the key: state that signed heads are lost, so that the chain goes on',
    )
    .addHelpText('after', NOTES)
    .action((options: RestoredOptions) =>
      run(options, async (context) => {
        const { restoreAccounts } = await import('../../actions/restore-accounts.ts')
        return await restoreAccounts(context, options)
      }),
    )
}

const NOTES = `
It says what the backup lacks, records the incident, erases again who was erased since, counts the calls of
today that are known as spent, and lets work go on. It may be interrupted and called again.
docs/install.md tells of backups.
Exit codes: 0 done, 1 failed or somebody could not be erased again, 2 wrong usage or another key,
4 a hold or a lock keeps a part, 5 another process works on the account.`
