/**
 * Adds `--account` to each command in a text that works on one account and names none, so that it can be
 * copied where several accounts are configured. Undefined leaves the text unchanged.
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

/** A longer name comes first, because a subcommand begins with the name of its command. */
const NAMES = ACCOUNT_COMMANDS.toReversed().join('|')
const OWN_ACCOUNT = '(?:(?!callsheet)[^;,])*--account'
/** A number after the command is its argument, such as that of a run. */
const CALLED = `callsheet (?:-- )?(?:${NAMES})\\b(?: \\d+)?`
const COMMAND = new RegExp(`(?<![\\w/.-])${CALLED}(?!${OWN_ACCOUNT})`, 'g')
