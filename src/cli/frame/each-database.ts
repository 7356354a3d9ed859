import { pick } from '../../account/choose.ts'
import { type DatabaseConfig, databaseOf, databasesOf } from '../../config/databases.ts'
import type { Config } from '../../config/schema.ts'
import { ConfigurationError } from '../../core/errors.ts'
import type { CommonOptions, Databases } from './command.ts'
import type { Context } from './context.ts'
import { worst } from './exit-codes.ts'
import type { Output } from './output.ts'
import { describeError, errorLines, exitCodeOf } from './print-error.ts'

type Work = (context: Context) => Promise<number>

/**
 * Runs `work` with the configuration of each database that the options choose. Returns the worst exit code.
 */
export async function eachDatabase(
  context: Context,
  { options, databases }: { options: CommonOptions; databases: Databases },
  work: Work,
): Promise<number> {
  let chosen: readonly (DatabaseConfig | undefined)[] = [undefined]
  const results: object[] = []
  const codes: number[] = []
  for (let at = 0; at < chosen.length && !context.signal.aborted; at++) {
    let isNamed = false
    const result = (value: unknown): void => {
      if (chosen.length === 1) context.output.result(value)
      else results.push({ database: chosen[at]?.database, result: value })
    }
    const output: Output = { ...context.output, result }
    const loadConfig: Context['loadConfig'] = async (given) => {
      const loaded = await context.loadConfig(given)
      if (databases === 'all') return loaded
      if (chosen[0] === undefined)
        chosen = chooseDatabases(loaded.config, options.account, databases)
      const one = chosen[at]
      if (chosen.length > 1 && !isNamed)
        output.line(`${at === 0 ? '' : '\n'}Database ${one?.database}`)
      isNamed = true
      return { ...loaded, ...one }
    }
    try {
      codes.push(await work({ ...context, output, loadConfig }))
    } catch (error) {
      if (chosen.length === 1 || context.signal.aborted) throw error
      for (const line of errorLines(error, context.verbose)) output.note(line)
      result({ error: describeError(error) })
      codes.push(exitCodeOf(error))
    }
  }
  if (results.length > 0) context.output.result(results)
  return worst(codes)
}

/** Returns the databases that a command works on; throws if it needs one and none is named. */
export function chooseDatabases(
  config: Config,
  account: string | undefined,
  databases: Databases,
): DatabaseConfig[] {
  const chosen = databasesOf(config)
  if (typeof databases === 'object')
    return [pick('database', databases.named, chosen.map(withName))]
  const own = account === undefined ? undefined : databaseOf(config, account)
  if (own !== undefined) return [own]
  if (account !== undefined) pick('account', account, config.accounts)
  if (chosen.length === 1 || databases === 'each') return chosen
  throw new ConfigurationError('database_needed', {
    tried: 'Choosing the database',
    came: `the accounts are in several databases: ${chosen.map((one) => one.database).join(', ')}`,
    todo: 'add --account NAME or --database NAME',
  })
}

function withName(one: DatabaseConfig): DatabaseConfig & { name: string } {
  return { ...one, name: one.database }
}
