import type { AccountSettings } from '../../config/account-settings.ts'
import type { Context } from './context.ts'
import { describeError, errorLines, exitCodeOf } from './print-error.ts'

/** What came of one account: its exit code, and what `--json` says of it. */
export interface AccountOutcome {
  code: number
  json: object
}

/** Does the same for one account after the other; one that fails does not keep the next from its turn. */
export async function eachAccount(
  { output, signal, verbose }: Context,
  accounts: readonly AccountSettings[],
  work: (settings: AccountSettings) => Promise<AccountOutcome>,
): Promise<AccountOutcome[]> {
  const outcomes: AccountOutcome[] = []
  for (const settings of accounts) {
    if (signal.aborted) break
    try {
      outcomes.push(await work(settings))
    } catch (error) {
      // Who stopped it knows why it ends.
      if (verbose || !signal.aborted)
        for (const line of errorLines(error, verbose)) output.note(line)
      const json = { account: settings.name, error: describeError(error) }
      outcomes.push({ code: exitCodeOf(error), json })
    }
  }
  return outcomes
}
