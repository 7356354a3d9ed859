import type { Command } from 'commander'
import { whoAsks } from '../account/who-asks.ts'
import type { OpenWarehouse } from '../account/wire.ts'
import type { AccountSettings } from '../config/account-settings.ts'
import { needsLogin } from '../core/define/app-kind.ts'
import { utcMinutes } from '../core/time/time.ts'
import { count } from '../core/values/quantities.ts'
import type { Lost } from '../erasure/find-lost.ts'
import type { RestoredAccount } from '../erasure/restore-account.ts'
import { asCalled, calledAs } from './frame/called-as.ts'
import { type CommonOptions, defineCommand, type Runner } from './frame/command.ts'
import type { Context } from './frame/context.ts'
import { withAccounts } from './frame/each-account.ts'
import { erasureExitCode, printErased } from './frame/erasure-lines.ts'
import { worst } from './frame/exit-codes.ts'
import { type Output, printFacts } from './frame/output.ts'

interface RestoredOptions extends CommonOptions {
  account?: string
  dryRun?: boolean
  enterBreak?: boolean
}

export function restoredCommand(run: Runner): Command {
  return defineCommand('restored', 'Resume after restoring the database from a backup', [
    'restored --dry-run',
    'restored',
    'restored --account main',
    'restored --enter-break',
  ])
    .option('-a, --account <name>', 'only this account (default: all accounts)')
    .option('--dry-run', 'list what the backup lacks without changing anything')
    .option(
      '--enter-break',
      'as the holder of the key: state that signed checkpoints are lost, so that the log goes on',
    )
    .addHelpText('after', NOTES)
    .action((options: RestoredOptions) =>
      run(
        options,
        (context) =>
          withAccounts(context, { account: options.account, migrate: true }, (opened, settings) =>
            restoreOne(context, { opened, options }, settings),
          ),
        { databases: 'each' },
      ),
    )
}

/** Reports which data the restored database lacks, and settles it unless `--dry-run` is set. */
async function restoreOne(
  { output, signal }: Context,
  { opened, options }: { opened: OpenWarehouse; options: RestoredOptions },
  settings: AccountSettings,
): Promise<{ code: number; json: object }> {
  const { openErasure } = await import('../account/open-erasure.ts')
  const { findLost } = await import('../erasure/find-lost.ts')
  const { restoreAccount } = await import('../erasure/restore-account.ts')
  const { name: account } = settings
  const { deps, close } = await openErasure(opened, { account, signal })
  output.line(`Account ${account}`)
  try {
    if (options.dryRun === true) {
      const lost = await findLost(deps, account)
      printLost(output, lost)
      return { code: 0, json: { account, dryRun: true, ...lostJson(lost) } }
    }
    const settled = await restoreAccount(deps, {
      account,
      askedBy: whoAsks(),
      enterBreak: options.enterBreak === true,
      signal,
      onLost: (lost) => printLost(output, lost),
      onErased: (erased) => printErased(output, erased, false),
    })
    printSettled(output, settled)
    if (needsLogin(settings.app) && settled.lost.restored !== undefined)
      output.note(
        `The login of the backup may have been renewed since: if a sync is refused, ` +
          `${calledAs('callsheet')} login --account ${account}`,
      )
    const { lost, broken = null, erased } = settled
    const unable = lost.erasures.sealed + lost.erasures.strange > 0
    const code = worst([unable ? 1 : 0, erasureExitCode(erased)])
    return { code, json: { account, ...lostJson(lost), break: broken, erased } }
  } finally {
    await close()
  }
}

/** Prints the missing data in numbers and times, without names of people. */
function printLost(output: Output, { restored, checkpoints, erasures }: Lost): void {
  if (restored === undefined)
    output.line('No loss found: this machine has no note of work that the database lacks.')
  else {
    const { note, knownUntil } = restored
    const known = knownUntil === undefined ? '(nothing)' : timeOf(knownUntil)
    printFacts(output, [
      ['work in the database', known],
      ['work of this machine', timeOf(note.at)],
    ])
  }
  if (checkpoints !== undefined)
    output.line(
      `Signed checkpoints that are lost: ${count(checkpoints.count)}, the newest over ` +
        `${count(checkpoints.size)} entries.`,
    )
  if (erasures.lost.length > 0)
    output.line(`Erasures that the database lacks: ${count(erasures.lost.length)}.`)
  if (erasures.sealed > 0)
    output.note(
      `${count(erasures.sealed)} noted erasures cannot be decrypted with the keys of this machine. ` +
        asCalled('Erase these persons by name: callsheet erase --from FILE --yes'),
    )
  if (erasures.strange > 0)
    output.note(
      `${count(erasures.strange)} notes of erasures were not signed with the evidence key.`,
    )
}

function printSettled(output: Output, { lost, broken, erased }: RestoredAccount): void {
  if (erased.length === 0)
    output.line('No person on the list of erased persons or in a note is in the tables.')
  if (lost.checkpoints !== undefined)
    output.note(
      'The lost checkpoints may have covered erasures. Those with a note are repeated; ' +
        asCalled('if notes are lost too, name the persons: callsheet erase --from FILE --yes'),
    )
  if (broken !== undefined)
    output.line(`The break is recorded: the log continues as ${broken.origin}.`)
  else if (lost.checkpoints !== undefined)
    output.note(
      asCalled(
        'No evidence is signed until the holder of the key records the break: ' +
          'callsheet restored --enter-break',
      ),
    )
  output.line(asCalled('Work can continue: callsheet sync'))
}

function lostJson({ restored, checkpoints, erasures }: Lost): object {
  return {
    restored: restored !== undefined,
    knownUntil: restored?.knownUntil ?? null,
    workedAt: restored?.note.at ?? null,
    checkpoints: checkpoints ?? null,
    lostErasures: erasures.lost.length,
    sealedErasures: erasures.sealed,
    strangeNotes: erasures.strange,
  }
}

function timeOf(instant: string): string {
  return `until ${utcMinutes(Date.parse(instant))} UTC`
}

const NOTES = `
It lists what the backup lacks, records the incident, repeats the erasures made
since, and lets work continue. You can interrupt it and run it again. See
docs/install.md.
Exit codes: 0 done, 1 failed or a person could not be erased again, 2 wrong
usage or another key, 4 a hold or a lock retains a part, 5 another process is
using the account.`
