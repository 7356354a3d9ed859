import { desired, reports } from '../../account/catalog.ts'
import { chooseOneAccount } from '../../account/choose.ts'
import { type OpenAccount, openAccount } from '../../account/open-account.ts'
import { withWarehouse } from '../../account/wire.ts'
import { readSheets } from '../../apply/desired/read-sheets.ts'
import { isWorkbook, readWishes, type Wishes } from '../../apply/desired/read-wishes.ts'
import type { Config } from '../../config/schema.ts'
import { ask, somebodyIsThere } from '../apply/ask.ts'
import { type CarryOutOptions, carryOut, HELD_BACK } from '../apply/carry-out.ts'
import { reportUnacted } from '../apply/report-unacted.ts'
import type { CommonOptions } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { count } from '../frame/output.ts'

export interface ApplyOptions extends CommonOptions, CarryOutOptions {
  account?: string
  allowRemovals?: boolean
  allowQuarantined?: boolean
}

/** Compares what a file wants with the account, shows a plan, asks, carries it out and reads back. */
export async function applyFile(
  context: Context,
  file: string,
  options: ApplyOptions,
): Promise<number> {
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
          timeZone: config.reports.timezone,
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
