import type { Command } from 'commander'
import { migrations } from '../account/migrations.ts'
import { withWarehouse } from '../account/with-warehouse.ts'
import type { Roles } from '../warehouse/roles.ts'
import { type CommonOptions, defineCommand, type Runner } from './frame/command.ts'
import type { Context } from './frame/context.ts'

interface MigrateOptions extends CommonOptions, Roles {
  check?: boolean
}

export function migrateCommand(run: Runner): Command {
  return defineCommand('migrate', 'Migrate the database (sync does this automatically)', [
    'migrate',
    'migrate --check',
    'migrate --writer callsheet_sync --reporter callsheet_bi',
  ])
    .option('--check', 'change nothing; exit code 1 if migrations are pending')
    .option('--writer <role>', 'grant a role what sync and report need')
    .option('--reporter <role>', 'grant a role read access to the schema report')
    .option('--receiver <role>', 'grant a role what serve --only notifications needs')
    .option('--eraser <role>', 'grant a role what erase needs, including deletes')
    .action((options: MigrateOptions) =>
      run(options, (context) => migrateDatabase(context, options), { databases: 'each' }),
    )
}

async function migrateDatabase(context: Context, options: MigrateOptions): Promise<number> {
  const { migrateTables } = await import('../account/wire.ts')
  const { migrationStatus } = await import('../warehouse/migrate.ts')
  const { ensureMonthPartitions } = await import('../warehouse/partitions.ts')
  const { grantRoles } = await import('../warehouse/roles.ts')
  return await withWarehouse(context, { migrate: 'unchecked' }, async ({ warehouse, wiring }) => {
    const { output } = context
    if (options.check === true) {
      const states = await migrationStatus(warehouse, migrations)
      const pending = states.filter(({ executedAt }) => executedAt === undefined)
      output.table(states.map(({ name, executedAt }) => [name, executedAt ?? 'pending']))
      output.result({ migrations: states })
      return pending.length === 0 ? 0 : 1
    }
    const applied = await migrateTables(warehouse)
    // Installs the queue here, because machines that share the work may not own the tables.
    const { installQueue } = await import('../serve/queue/queue.ts')
    const { config, observer } = wiring
    await installQueue({ warehouse, observer, backend: config.database.backend })
    // Makes the partitions now, each in a transaction of its own, so that the first sync need not do it.
    await ensureMonthPartitions(warehouse)
    for (const name of applied) output.line(`applied ${name}`)
    if (applied.length === 0) output.line('The database is up to date.')
    const granted = await grantRoles(warehouse, options)
    for (const name of granted) output.line(`granted rights to ${name}`)
    output.result({ applied, granted })
    return 0
  })
}
