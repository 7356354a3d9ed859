import type { Command } from 'commander'
import type { MigrateOptions } from '../actions/migrate-database.ts'
import { defineCommand, type Runner } from '../frame/command.ts'

export function migrateCommand(run: Runner): Command {
  return defineCommand('migrate', 'Bring the database to this version; sync does so by itself', [
    'migrate',
    'migrate --check',
    'migrate --writer callsheet_sync --reporter callsheet_bi --receiver callsheet_door',
  ])
    .option('--check', 'change nothing; exit code 1 when something is to be done')
    .option('--writer <role>', 'give a role exactly what sync and report need; it owns no table')
    .option('--reporter <role>', 'give a role the reading of the schemas report and svc')
    .option(
      '--receiver <role>',
      'give a role what serve --only notifications needs, and nothing of the data',
    )
    .option('--eraser <role>', 'give a role what erase needs: it alone may delete')
    .action((options: MigrateOptions) =>
      run(options, async (context) => {
        const { migrateDatabase } = await import('../actions/migrate-database.ts')
        return await migrateDatabase(context, options)
      }),
    )
}
