import type { Command } from 'commander'
import type { MigrateOptions } from '../actions/migrate-database.ts'
import { defineCommand, type Runner } from '../command.ts'

export function migrateCommand(run: Runner): Command {
  return defineCommand('migrate', 'Bring the database to this version; sync does so by itself', [
    'migrate',
    'migrate --check',
  ])
    .option('--check', 'change nothing; exit code 1 when something is to be done')
    .action((options: MigrateOptions) =>
      run(options, async (context) => {
        const { migrateDatabase } = await import('../actions/migrate-database.ts')
        return await migrateDatabase(context, options)
      }),
    )
}
