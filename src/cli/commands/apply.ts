import type { Command } from 'commander'
import type { ApplyOptions } from '../actions/apply-file.ts'
import { defineCommand, type Runner } from '../frame/command.ts'

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
      run(options, async (context) => {
        const { applyFile } = await import('../actions/apply-file.ts')
        return await applyFile(context, file, options)
      }),
    )
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
