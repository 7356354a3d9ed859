import type { AccountSettings } from '../../config/account-settings.ts'
import { accountToName } from '../../config/databases.ts'
import type { Context } from './context.ts'
import { describeError, errorLines, exitCodeOf } from './print-error.ts'

/** The outcome of one account: its exit code and its part of `--json`. */
export interface AccountOutcome {
  code: number
  json: object
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
