import type { Command } from 'commander'
import { pick } from '../account/choose.ts'
import { withWarehouse } from '../account/with-warehouse.ts'
import { allDatabases, databaseOf } from '../config/databases.ts'
import type { Config } from '../config/schema.ts'
import { ConfigurationError } from '../core/errors.ts'
import { counted } from '../core/values/quantities.ts'
import type { Warehouse } from '../warehouse/connect.ts'
import { type CommonOptions, defineCommand, type Runner } from './frame/command.ts'
import type { Context } from './frame/context.ts'

interface MoveOptions extends CommonOptions {
  from: string
}

export function moveCommand(run: Runner): Command {
  return defineCommand('move', 'Move an account to the database that its setting names', [
    'move branch --from default',
  ])
    .argument('<account>', 'account whose database setting was changed')
    .requiredOption('--from <database>', 'database that has the rows now')
    .addHelpText('after', NOTES)
    .action((account: string, options: MoveOptions) =>
      run(options, (context) => moveBetween(context, account, options), { databases: 'all' }),
    )
}

async function moveBetween(
  context: Context,
  account: string,
  { from }: MoveOptions,
): Promise<number> {
  const { config } = await context.loadConfig()
  pick('account', account, config.accounts)
  const source = pick('database', from, allDatabases(config))
  const target = databaseOf(config, account)
  if (target === undefined || target.database === from) throw nothingToDo(account, from)
  const { moveAccount } = await import('../account/move-account.ts')
  const { ownsTables } = await import('../warehouse/comments.ts')
  const { output, signal, clock } = context
  const within = <T>(
    database: Config['database'],
    work: (warehouse: Warehouse) => Promise<T>,
  ): Promise<T> => {
    const one = { ...config, accounts: [], database }
    const opened = { ...context, loadConfig: async () => ({ config: one }) }
    return withWarehouse(opened, { migrate: true }, ({ warehouse }) => work(warehouse))
  }
  const copied = await within(source.settings, (there) =>
    within(target.config.database, async (here) => {
      const [old, next] = [
        { name: from, warehouse: there },
        { name: target.database, warehouse: here },
      ] as const
      for (const { name, warehouse } of [old, next])
        if (!(await ownsTables(warehouse))) throw notOwner(account, name)
      return await moveAccount({ account, from: old, to: next, clock, signal })
    }),
  )
  const tables = [...(copied?.values() ?? [])].filter((many) => many > 0)
  const rows = tables.reduce((sum, many) => sum + many, 0)
  if (copied !== undefined)
    output.line(
      `Copied ${counted(rows, 'row')} of ${counted(tables.length, 'table')}; their digests are equal.`,
    )
  output.line(`Account ${account} is in the database ${target.database} now.`)
  output.line(`Its rows were removed from the database ${from}.`)
  output.result({ account, from, to: target.database, copied: copied === undefined ? null : rows })
  return 0
}

function nothingToDo(account: string, from: string): ConfigurationError {
  return new ConfigurationError('move_unneeded', {
    tried: `Moving account ${account} from the database ${from}`,
    came: `its setting names the same database`,
    todo: `first set accounts[].database of ${account} to the new database`,
  })
}

function notOwner(account: string, database: string): ConfigurationError {
  return new ConfigurationError('move_needs_owner', {
    tried: `Moving account ${account}`,
    came: `the user of the database ${database} does not own its tables`,
    todo: 'use the user that runs callsheet migrate in the URLs of both databases',
  })
}

const NOTES = `
Set the account's database to the new one first. The rows are copied and compared
in one transaction, then removed from the old database. If the command is
interrupted, run it again: it continues. No other process may work on the account
meanwhile; afterwards restart callsheet serve on all machines.`
