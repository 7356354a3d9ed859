import { ConfigurationError } from '../../core/errors.ts'

/**
 * Returns the account that has a run with this ID (`accounts` lists all that do); undefined if none has.
 * Throws if several have, because an account that was moved to this database keeps the IDs of its runs.
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
