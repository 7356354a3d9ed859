import { ConfigurationError } from '../../core/errors.ts'

/**
 * Returns the account whose run has this number; undefined if none has. Throws if several have it: an account
 * that was moved to this database keeps the numbers of its runs.
 */
export function accountOfRun(
  accounts: readonly string[],
  { run, command }: { run: number; command: string },
): string | undefined {
  if (accounts.length < 2) return accounts[0]
  const each = accounts.map((name) => `callsheet ${command} --account ${name}`)
  throw new ConfigurationError('ambiguous_run', {
    tried: `Looking for run ${run}`,
    came: `${accounts.length} accounts have a run of this number`,
    todo: `run one of these: ${each.join('; ')}`,
  })
}
