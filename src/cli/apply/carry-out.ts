import { jobs } from '../../account/catalog.ts'
import type { OpenAccount } from '../../account/open-account.ts'
import { whoAsks } from '../../account/who-asks.ts'
import { type HeldAccount, holdAccount, isNext } from '../../apply/hold-account.ts'
import { type KindPlan, planWanted, type Wanted } from '../../apply/plan.ts'
import { readAccount } from '../../apply/read-account.ts'
import { sendPlan } from '../../apply/send.ts'
import { settle } from '../../apply/settle.ts'
import { FencedError } from '../../core/errors.ts'
import { count, counted } from '../../core/values/quantities.ts'
import type { Context } from '../frame/context.ts'
import { type Output } from '../frame/output.ts'
import { describeError, errorLines } from '../frame/print-error.ts'
import { countPlan, planAsJson, printPlan, printSettled, settledAsJson } from './print-plan.ts'

export interface CarryOutOptions {
  dryRun?: boolean
  yes?: boolean
}

export interface Frame {
  context: Context
  account: OpenAccount
  options: CarryOutOptions
  /** Asks a person to confirm. If nobody can answer, reports that and returns false. */
  confirm(question: string): Promise<boolean>
}

/** A plan that was shown, and the epoch of the lease under which it was made. */
interface Shown {
  plans: readonly KindPlan[]
  counts: ReturnType<typeof countPlan>
  epoch: number
}

/**
 * Locks the account from the first read to the read-back, except while it waits for a person, so that a sync
 * need not wait for the person. If another process used the account in the meantime, the new plan must equal
 * the one shown.
 */
export async function carryOut(frame: Frame, wanted: readonly Wanted[]): Promise<number> {
  const { options } = frame
  const shown = await hold(frame, async (held) => {
    const made = await showPlan(frame, held, wanted)
    if (options.yes !== true || !isToSend(frame, made)) return made
    return await sendShown(frame, held, { wanted, made })
  })
  if (typeof shown === 'number') return shown
  if (!isToSend(frame, shown)) {
    reportUnsent(frame, shown)
    return shown.counts.refused > 0 && options.dryRun !== true ? 1 : 0
  }
  if (!(await frame.confirm(questionOf(shown.counts)))) return reportNothingSent(frame, shown)
  return await hold(frame, async (held) => {
    const again = isNext(held.lease, shown.epoch) ? shown : await planAgain(frame, held, wanted)
    if (JSON.stringify(planAsJson(again.plans)) === JSON.stringify(planAsJson(shown.plans)))
      return await sendShown(frame, held, { wanted, made: again })
    frame.context.output.note(CHANGED)
    return reportNothingSent(frame, again)
  })
}

function hold<T>({ context, account }: Frame, work: (held: HeldAccount) => Promise<T>): Promise<T> {
  return holdAccount(account.deps, { account: account.settings.name, signal: context.signal }, work)
}

async function showPlan(
  frame: Frame,
  held: HeldAccount,
  wanted: readonly Wanted[],
): Promise<Shown> {
  const { output } = frame.context
  output.note(`Reading account ${frame.account.settings.name}`)
  const made = await planAgain(frame, held, wanted)
  printPlan(output, made.plans, made.counts)
  return made
}

async function planAgain(
  frame: Frame,
  held: HeldAccount,
  wanted: readonly Wanted[],
): Promise<Shown> {
  const { deps, settings } = frame.account
  await readAccount(deps, { account: settings.name, jobs, wanted, ...held })
  const plans = await planWanted(deps, settings.name, wanted)
  return { plans, counts: countPlan(plans), epoch: held.lease.epoch }
}

function isToSend({ options }: Frame, { counts }: Shown): boolean {
  return counts.toDo > 0 && options.dryRun !== true
}

async function sendShown(
  frame: Frame,
  held: HeldAccount,
  { wanted, made: { plans, counts } }: { wanted: readonly Wanted[]; made: Shown },
): Promise<number> {
  const { context, account } = frame
  const { output } = context
  const sending = await sendPlan(account.deps, {
    account: account.settings.name,
    plans,
    askedBy: whoAsks,
    hold: held,
    onSent: ({ done, of }) => output.terminal && output.note(`Sent ${count(done)} of ${count(of)}`),
  })
  reportStop(context, sending.stoppedAt)
  // Without the lease the account cannot be read back, so only the service's responses count.
  const lost = sending.stoppedAt instanceof FencedError
  const { after, unread } = lost ? {} : await readBack(frame, held, { wanted, taken: counts.toDo })
  const settled = settle(plans, sending, after)
  printSettled(output, settled)
  if (unread !== undefined) reportError(context, unread)
  reportWaiting(output, after ?? [])
  const stoppedAt = sending.stoppedAt ?? unread
  output.result({
    ...told(frame, plans),
    sent: true,
    stoppedAt: stoppedAt === undefined ? null : describeError(stoppedAt),
    outcome: settledAsJson(settled),
  })
  return settled.every(({ state }) => state === 'done') && counts.refused === 0 ? 0 : 1
}

/** Reads the account and plans again. If the read fails, the results of the sent calls are still reported. */
async function readBack(
  { context, account }: Frame,
  held: HeldAccount,
  { wanted, taken }: { wanted: readonly Wanted[]; taken: number },
): Promise<{ after?: KindPlan[]; unread?: unknown }> {
  const { name } = account.settings
  try {
    held.signal.throwIfAborted()
    context.output.note(`Reading account ${name} again`)
    await readAccount(account.deps, { account: name, jobs, wanted, taken, ...held })
    return { after: await planWanted(account.deps, name, wanted) }
  } catch (unread) {
    return { unread }
  }
}

function questionOf(counts: Shown['counts']): string {
  const { toDo, refused, calls } = counts
  const but = refused === 0 ? '' : ', leaving out what is refused'
  return `Make ${counted(toDo, 'change')} in ${counted(calls, 'call')}${but}?`
}

function told({ account }: Frame, plans: readonly KindPlan[]) {
  return { account: account.settings.name, plan: planAsJson(plans) }
}

function reportUnsent(frame: Frame, { plans }: Shown): void {
  frame.context.output.result({ ...told(frame, plans), sent: false })
}

function reportNothingSent(frame: Frame, shown: Shown): number {
  frame.context.output.note('Nothing was sent.')
  reportUnsent(frame, shown)
  return 2
}

function reportStop(context: Context, stoppedAt: unknown): void {
  if (stoppedAt === undefined) return
  reportError(context, stoppedAt)
  context.output.note('Stopped: nothing after this was sent.')
}

function reportError({ output, verbose }: Context, error: unknown): void {
  for (const line of errorLines(error, verbose)) output.note(line)
}

function reportWaiting(output: Output, plans: readonly KindPlan[]): void {
  for (const { action, what, why } of plans.flatMap(({ items }) => items))
    if (action === 'waiting') output.note(`${what}: ${why}`)
}

const CHANGED =
  'The account was changed meanwhile, so the plan is no longer valid: apply the file again.'
