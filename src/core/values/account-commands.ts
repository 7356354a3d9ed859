/**
 * Adds `--account` to the commands in a text that accept it and lack it, so that people with several accounts
 * can copy them. If the account is undefined, returns the text unchanged.
 */
export function withAccount(text: string, account: string | undefined): string {
  return account === undefined ? text : text.replace(COMMAND, `$& --account ${account}`)
}

/** The commands that have the option `--account`. A test compares them with the program. */
export const ACCOUNT_COMMANDS = [
  'apply',
  'archive',
  'archive hold add',
  'archive hold list',
  'archive hold release',
  'archive prune',
  'audit export',
  'audit unexplained',
  'call',
  'doctor',
  'erase',
  'export',
  'login',
  'logout',
  'plan',
  'preview',
  'report',
  'restored',
  'runs',
  'status',
  'sync',
  'verify',
]

/** A subcommand comes before its command, because the first name that matches is used. */
const NAMES = ACCOUNT_COMMANDS.toReversed().join('|')
const OWN_ACCOUNT = '(?:(?!callsheet)[^;,])*--account'
/** A number after the command is an argument, such as a run's ID. */
const CALLED = `callsheet (?:-- )?(?:${NAMES})\\b(?: \\d+)?`
const COMMAND = new RegExp(`(?<![\\w/.-])${CALLED}(?!${OWN_ACCOUNT})`, 'g')
