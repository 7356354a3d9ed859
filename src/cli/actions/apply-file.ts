import { type KindPlan, planWanted, type Wanted } from '../../engine/apply/plan.ts'
import { readAccount } from '../../engine/apply/read-account.ts'
import { sendPlan } from '../../engine/apply/send.ts'
import { settle } from '../../engine/apply/settle.ts'
import { ask, somebodyIsThere } from '../apply/ask.ts'
import {
  countPlan,
  planAsJson,
  printPlan,
  printSettled,
  settledAsJson,
  some,
} from '../apply/print-plan.ts'
import { readSheets } from '../apply/read-sheets.ts'
import { isWorkbook, readWishes } from '../apply/read-wishes.ts'
import { jobs } from '../catalog.ts'
import { chooseOneAccount } from '../choose.ts'
import type { CommonOptions } from '../command.ts'
import type { Context } from '../context.ts'
import { openAccount, type OpenAccount } from '../open-account.ts'
import { count, type Output } from '../output.ts'
import { describeError, errorLines } from '../print-error.ts'
import { whoAsks } from '../who-asks.ts'
import { withWarehouse } from '../wire.ts'

export interface ApplyOptions extends CommonOptions {
  account?: string
  dryRun?: boolean
  yes?: boolean
}

/** Compares what a file wants with the account, shows a plan, asks, carries it out and reads back. */
export async function applyFile(
  context: Context,
  file: string,
  options: ApplyOptions,
): Promise<number> {
  const wishes = isWorkbook(file) ? undefined : readWishes(file)
  const { config } = await context.loadConfig()
  const named = options.account ?? wishes?.account
  const settings = chooseOneAccount(config, named, `Applying ${file}`)
  return await withWarehouse(context, { migrate: true }, async (opened) => {
    const account = openAccount(opened, settings)
    try {
      const { wanted, remark } = wishes ?? (await readSheets(account.deps, settings.name, file))
      if (remark !== undefined) context.output.note(remark)
      return await carryOut({ context, account, options }, wanted)
    } finally {
      await account.close()
    }
  })
}

interface Frame {
  context: Context
  account: OpenAccount
  options: ApplyOptions
}

async function carryOut(frame: Frame, wanted: readonly Wanted[]): Promise<number> {
  const { context, account, options } = frame
  const { output, signal } = context
  const { name } = account.settings
  output.note(`Reading account ${name}`)
  await readAccount(account.deps, { account: name, jobs, wanted, signal })
  const plans = await planWanted(account.deps, name, wanted)
  const counts = countPlan(plans)
  printPlan(output, plans, counts)
  const told = { account: name, plan: planAsJson(plans) }
  if (counts.toDo === 0 || options.dryRun === true) {
    output.result({ ...told, sent: false })
    return counts.refused > 0 && options.dryRun !== true ? 1 : 0
  }
  if (!(await isConfirmed(frame, counts))) {
    output.note('Nothing was sent.')
    output.result({ ...told, sent: false })
    return 2
  }
  const sending = await sendPlan(account.deps, {
    account: name,
    plans,
    askedBy: whoAsks,
    signal,
    onSent: ({ done, of }) => output.terminal && output.note(`Sent ${count(done)} of ${count(of)}`),
  })
  tellStop(context, sending.stoppedAt)
  const { after, unread } = await readBack(frame, wanted, counts.toDo)
  const settled = settle(plans, sending, after)
  printSettled(output, settled)
  if (unread !== undefined) tellError(context, unread)
  tellWaiting(output, after ?? [])
  const stoppedAt = sending.stoppedAt ?? unread
  output.result({
    ...told,
    sent: true,
    stoppedAt: stoppedAt === undefined ? null : describeError(stoppedAt),
    outcome: settledAsJson(settled),
  })
  return settled.every(({ state }) => state === 'done') && counts.refused === 0 ? 0 : 1
}

/** The plan as it is now. Where the account cannot be read, what was sent is told all the same. */
async function readBack(
  { context, account }: Frame,
  wanted: readonly Wanted[],
  taken: number,
): Promise<{ after?: KindPlan[]; unread?: unknown }> {
  const { output, signal } = context
  const { name } = account.settings
  try {
    signal.throwIfAborted()
    output.note(`Reading account ${name} again`)
    await readAccount(account.deps, { account: name, jobs, wanted, signal, taken })
    return { after: await planWanted(account.deps, name, wanted) }
  } catch (unread) {
    return { unread }
  }
}

async function isConfirmed(
  { context, options }: Frame,
  { toDo, refused, calls }: ReturnType<typeof countPlan>,
): Promise<boolean> {
  if (options.yes === true) return true
  if (options.json === true || !somebodyIsThere()) {
    context.output.note('Add --yes to carry it out where nobody can be asked.')
    return false
  }
  const but = refused === 0 ? '' : `, and leave out what is refused`
  const question = `Make ${some(toDo, 'change')} in ${some(calls, 'call')}${but}?`
  const { signal } = context
  return await ask(question, { input: process.stdin, output: process.stderr, signal })
}

function tellStop(context: Context, stoppedAt: unknown): void {
  if (stoppedAt === undefined) return
  tellError(context, stoppedAt)
  context.output.note('Stopped there: nothing after it was sent.')
}

function tellError({ output, verbose }: Context, error: unknown): void {
  for (const line of errorLines(error, verbose)) output.note(line)
}

function tellWaiting(output: Output, plans: readonly KindPlan[]): void {
  for (const { action, what, why } of plans.flatMap(({ items }) => items))
    if (action === 'waiting') output.note(`${what}: ${why}`)
}
