import { chooseAccounts } from '../../account/choose.ts'
import type { OpenAccount } from '../../account/open-account.ts'
import type { MigrateMode, OpenWarehouse } from '../../account/wire.ts'
import { withWarehouse } from '../../account/with-warehouse.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import { accountToName } from '../../config/databases.ts'
import type { Context } from './context.ts'
import { worst } from './exit-codes.ts'
import { describeError, errorLines, exitCodeOf } from './print-error.ts'

/** The outcome of one account: its exit code and its part of `--json`. */
export interface AccountOutcome {
  code: number
  json: object
}

interface Accounts {
  /** The name of the chosen account; undefined for all accounts. */
  account: string | undefined
  migrate: MigrateMode
  /** Makes the result for `--json` of the accounts' parts; by default `{accounts}`. */
  result?: (accounts: object[]) => object
}

/** Opens the database, and runs `work` for each of the chosen accounts. Returns the worst exit code. */
export async function withAccounts(
  context: Context,
  { account, migrate, result = (accounts) => ({ accounts }) }: Accounts,
  work: (opened: OpenWarehouse, settings: AccountSettings) => Promise<AccountOutcome>,
): Promise<number> {
  const { config } = await context.loadConfig()
  const accounts = chooseAccounts(config, account)
  return await withWarehouse(context, { migrate }, async (opened) => {
    const outcomes = await eachAccount(context, accounts, (settings) => work(opened, settings))
    context.output.result(result(outcomes.map(({ json }) => json)))
    return worst(outcomes.map(({ code }) => code))
  })
}

/** Opens the database and an account while `work` runs. */
export async function withAccount<T>(
  context: Context,
  settings: AccountSettings,
  work: (account: OpenAccount) => Promise<T>,
): Promise<T> {
  const { openAccount } = await import('../../account/open-account.ts')
  return await withWarehouse(context, { migrate: true }, async (opened) => {
    const account = await openAccount(opened, settings)
    try {
      return await work(account)
    } finally {
      await account.close()
    }
  })
}

/** Runs `work` for each account in turn; a failed account does not stop the others. */
export async function eachAccount(
  { output, signal, verbose, loadConfig }: Context,
  accounts: readonly AccountSettings[],
  work: (settings: AccountSettings) => Promise<AccountOutcome>,
): Promise<AccountOutcome[]> {
  const outcomes: AccountOutcome[] = []
  const { config } = await loadConfig()
  for (const settings of accounts) {
    if (signal.aborted) break
    try {
      outcomes.push(await work(settings))
    } catch (error) {
      const named = accountToName(config, settings.name)
      // Prints no error after a stop, because the person who stopped the command knows the reason.
      if (verbose || !signal.aborted)
        for (const line of errorLines(error, verbose, named)) output.note(line)
      const json = { account: settings.name, error: describeError(error, named) }
      outcomes.push({ code: exitCodeOf(error), json })
    }
  }
  return outcomes
}
