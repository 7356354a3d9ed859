import type { Command } from 'commander'
import { chooseOneAccount } from '../account/choose.ts'
import type { OpenAccount } from '../account/open-account.ts'
import { withWarehouse } from '../account/with-warehouse.ts'
import type { Wishes } from '../apply/desired/read-wishes.ts'
import type { Config } from '../config/schema.ts'
import { ask, somebodyIsThere } from './apply/ask.ts'
import type { CarryOutOptions } from './apply/carry-out.ts'
import { reportUnacted } from './apply/report-unacted.ts'
import { type CommonOptions, defineCommand, type Runner } from './frame/command.ts'
import type { Context } from './frame/context.ts'
import { count } from './frame/output.ts'

interface ApplyOptions extends CommonOptions, CarryOutOptions {
  account?: string
  allowRemovals?: boolean
  allowQuarantined?: boolean
}

export function applyCommand(run: Runner): Command {
  return defineCommand('apply', 'Make the account as a file says: an edited workbook, or YAML', [
    'apply number-inventory.xlsx',
    'apply wishes.yaml --dry-run',
    'apply wishes.yaml --yes --json',
  ])
    .argument('<file>', 'an edited number inventory (.xlsx), or a list of what is wanted (.yaml)')
    .option('--dry-run', 'show the plan, and change nothing')
    .option('-y, --yes', 'carry the plan out without asking')
    .option('--allow-removals', 'also take away what a sheet no longer lists, where that is much')
    .option(
      '--allow-undoing',
      'also put back what was changed since, by a workbook that no longer says when it was made',
    )
    .option('--allow-quarantined', 'also move numbers that became idle only lately')
    .option('-a, --account <name>', 'of which account; needed where there are several')
    .addHelpText('after', FORM)
    .action((file: string, options: ApplyOptions) =>
      run(options, (context) => applyFile(context, file, options)),
    )
}

/** Compares what a file wants with the account, shows a plan, asks, carries it out and reads back. */
async function applyFile(context: Context, file: string, options: ApplyOptions): Promise<number> {
  const { desired, reports } = await import('../account/catalog.ts')
  const { openAccount } = await import('../account/open-account.ts')
  const { readSheets } = await import('../apply/desired/read-sheets.ts')
  const { isWorkbook, readWishes } = await import('../apply/desired/read-wishes.ts')
  const { carryOut, HELD_BACK } = await import('./apply/carry-out.ts')
  const written = isWorkbook(file) ? undefined : readWishes(file, desired)
  const { config } = await context.loadConfig()
  const named = options.account ?? written?.account
  const settings = chooseOneAccount(config, named, `Applying ${file}`)
  return await withWarehouse(context, { migrate: true }, async (opened) => {
    const account = withQuarantine(await openAccount(opened, settings), config, options)
    try {
      const wishes =
        written ??
        (await readSheets(account.deps, settings.name, {
          file,
          timeZone: config.timezone,
          reports,
          desired,
        }))
      if (wishes.remark !== undefined) context.output.note(wishes.remark)
      const { unacted } = wishes
      if (unacted !== undefined) reportUnacted(context.output, unacted)
      if (isHeldBack(context, wishes, options)) {
        const notActedOn = unacted ?? null
        const told = { account: settings.name, sent: false, heldBack: wishes.drop, notActedOn }
        context.output.result(told)
        return HELD_BACK
      }
      const confirm = (question: string) => askSomebody(context, question, options)
      return await carryOut({ context, account, options, confirm, unacted }, wishes.wanted)
    } finally {
      await account.close()
    }
  })
}

/** Numbers are left alone for as long as the inventory says, unless somebody says otherwise. */
function withQuarantine(
  account: OpenAccount,
  config: Config,
  { allowQuarantined }: ApplyOptions,
): OpenAccount {
  const configured = Number(config.reports.settings['number-inventory']?.quarantineDays ?? 0)
  const deps = { ...account.deps, quarantineDays: allowQuarantined === true ? 0 : configured }
  return { ...account, deps }
}

/** What a sheet no longer lists may have been lost by a slip: where it is much, a person has to say so. */
function isHeldBack({ output }: Context, { drop }: Wishes, options: ApplyOptions): boolean {
  if (drop === undefined || options.allowRemovals === true) return false
  const { sheet, deleted, of } = drop
  output.note(
    `${sheet}: ${count(deleted)} of the ${count(of)} lines that the inventory had are gone.`,
  )
  if (options.dryRun === true) {
    output.note('Carrying this plan out takes --allow-removals.')
    return false
  }
  output.note('Nothing was sent. If these are to be removed, add --allow-removals.')
  return true
}

async function askSomebody(
  { output, signal }: Context,
  question: string,
  { json }: ApplyOptions,
): Promise<boolean> {
  if (json !== true && somebodyIsThere())
    return await ask(question, { input: process.stdin, output: process.stderr, signal })
  output.note('Add --yes to carry it out where nobody can be asked.')
  return false
}

const FORM = `
What a YAML file may say; whatever it does not name stays as it is:
  numbers:
    - {number: "+14155550100", allocated_product: SVC_PHONE, site: Berlin office}
  consents:                                 # exactly these numbers
    - {consent_name: Reminders, numbers: ["+14155550100"]}
  labels:                                   # changes are drafts at first
    - {name: Secret, color: "#AA0000", sensitivity_level: 4}
    - {name: Old, absent: true}
  boards:                                   # label: null takes it off
    - {whiteboard_id: abc, label: Secret}
  recordings:                               # taken out of the trash
    - {session_id: abc}

What an inventory's sheet says by a line that was taken out:
  All numbers    nothing: the number stays as it is
  SMS consents   the number is taken from under its policy. Where all lines are gone, or more
                 than the setting deletionGuard allows, nothing is sent without --allow-removals.
  Delete the sheet itself to leave all of it alone. Edits that nothing is made of (other columns, other
  sheets) are told before the plan.

While it reads, sends and reads back no sync and no other apply works on the account.

A workbook that was saved by a program that drops its properties no longer says when it was made. What
would put back a state from before is asked about then, or needs --allow-undoing beside --yes.

A number that was assigned until less than quarantineDays ago (reports.settings.number-inventory) is not
given another product or site without --allow-quarantined.

Exit codes: 0 all is as wanted, 1 some of it is not, 2 nothing was sent, 4 a large drop waits
for --allow-removals or something newer for --allow-undoing, 5 another process works on the account.`
