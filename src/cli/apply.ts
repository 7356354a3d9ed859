import type { Command } from 'commander'
import { chooseOneAccount } from '../account/choose.ts'
import type { OpenAccount } from '../account/open-account.ts'
import type { Wishes } from '../apply/desired/read-wishes.ts'
import type { Config } from '../config/schema.ts'
import { count } from '../core/values/quantities.ts'
import { ask, somebodyIsThere } from './apply/ask.ts'
import type { CarryOutOptions } from './apply/carry-out.ts'
import { type CommonOptions, defineCommand, type Runner } from './frame/command.ts'
import type { Context } from './frame/context.ts'
import { withAccount } from './frame/each-account.ts'

interface ApplyOptions extends CommonOptions, CarryOutOptions {
  account?: string
  allowRemovals?: boolean
  allowQuarantined?: boolean
}

export function applyCommand(run: Runner): Command {
  return defineCommand('apply', 'Apply an edited workbook or YAML file to the account', [
    'apply number-inventory.xlsx',
    'apply changes.yaml --dry-run',
    'apply changes.yaml --yes --json',
  ])
    .argument('<file>', 'an edited number inventory (.xlsx) or a YAML file')
    .option('--dry-run', 'show the plan without changing anything')
    .option('-y, --yes', 'apply the plan without asking')
    .option('--allow-removals', 'allow removals beyond the deletion guard')
    .option('--allow-quarantined', 'also move numbers that are still in quarantine')
    .option('-a, --account <name>', 'the account (required if there are several)')
    .addHelpText('after', FORM)
    .action((file: string, options: ApplyOptions) =>
      run(options, (context) => applyFile(context, file, options)),
    )
}

/** Compares a file with the account, shows a plan, asks unless `--yes` is set, applies it and reads back. */
async function applyFile(context: Context, file: string, options: ApplyOptions): Promise<number> {
  const { desired } = await import('../account/catalog.ts')
  const { readSheets } = await import('../apply/desired/read-sheets.ts')
  const { isWorkbook, readWishes } = await import('../apply/desired/read-wishes.ts')
  const { carryOut } = await import('./apply/carry-out.ts')
  const written = isWorkbook(file) ? undefined : readWishes(file, desired)
  const { config } = await context.loadConfig()
  const named = options.account ?? written?.account
  const settings = chooseOneAccount(config, named, `Applying ${file}`)
  return await withAccount(context, settings, async (opened) => {
    const account = withQuarantine(opened, config, options)
    const wishes = written ?? (await readSheets(account.deps, settings.name, { file, desired }))
    if (written === undefined) context.output.note(ONLY_THESE)
    if (isHeldBack(context, wishes, options)) {
      context.output.result({ account: settings.name, sent: false, heldBack: wishes.drop })
      return HELD_BACK
    }
    const confirm = (question: string) => askSomebody(context, question, options)
    return await carryOut({ context, account, options, confirm }, wishes.wanted)
  })
}

/** Makes `apply` respect the inventory's quarantine of numbers, unless `--allow-quarantined` is set. */
function withQuarantine(
  account: OpenAccount,
  config: Config,
  { allowQuarantined }: ApplyOptions,
): OpenAccount {
  const configured = Number(config.reports.settings['number-inventory']?.quarantineDays ?? 0)
  const deps = { ...account.deps, quarantineDays: allowQuarantined === true ? 0 : configured }
  return { ...account, deps }
}

/** Rows missing from a sheet may be a mistake, so too many of them require `--allow-removals`. */
function isHeldBack({ output }: Context, { drop }: Wishes, options: ApplyOptions): boolean {
  if (drop === undefined || options.allowRemovals === true) return false
  const { sheet, deleted, of } = drop
  output.note(
    `${sheet}: ${count(deleted)} of the ${count(of)} lines that the inventory had are gone.`,
  )
  if (options.dryRun === true) {
    output.note('Applying this plan requires --allow-removals.')
    return false
  }
  output.note('Nothing was sent. To remove them, add --allow-removals.')
  return true
}

async function askSomebody(
  { output, signal }: Context,
  question: string,
  { json }: ApplyOptions,
): Promise<boolean> {
  if (json !== true && somebodyIsThere())
    return await ask(question, { input: process.stdin, output: process.stderr, signal })
  output.note('Add --yes to apply the plan without a terminal.')
  return false
}

const ONLY_THESE =
  'Only products and sites of numbers and the lines of SMS consents are compared; other edits have no effect.'

const FORM = `
Format of a YAML file (everything it does not name stays unchanged):
  numbers:
    - {number: "+14155550100", allocated_product: SVC_PHONE, site: Berlin}
  consents:                                 # exactly these numbers
    - {consent_name: Reminders, numbers: ["+14155550100"]}
  labels:                                   # changes start as drafts
    - {name: Secret, color: "#AA0000", sensitivity_level: 4}
    - {name: Old, absent: true}
  boards:                                   # label: null removes it
    - {whiteboard_id: abc, label: Secret}
  recordings:                               # restored from the trash
    - {session_id: abc}

Lines that you delete from a number inventory:
  All numbers    change nothing: the number keeps its settings.
  SMS consents   remove the number from its policy. If all lines are gone, or
                 more than deletionGuard allows, this needs --allow-removals.
To leave a sheet out, delete the whole sheet. Of a line that stays, only an
edited product or site counts; other columns and sheets are not compared.

No sync and no other apply can run on the account meanwhile.

A number that was assigned within the last quarantineDays
(reports.settings.number-inventory) moves only with --allow-quarantined.

Exit codes: 0 the account matches the file, 1 some of it does not, 2 nothing was
sent, 4 waiting for --allow-removals, 5 another process is using the account.`

/** The same exit code as of a sync whose deletion guard waits for a person's approval. */
const HELD_BACK = 4
