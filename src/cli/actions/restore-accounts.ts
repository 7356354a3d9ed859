import { chooseAccounts } from '../../account/choose.ts'
import { openErasure } from '../../account/open-erasure.ts'
import { whoAsks } from '../../account/who-asks.ts'
import { type OpenWarehouse, withWarehouse } from '../../account/wire.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import { quotasOf } from '../../config/quotas.ts'
import { needsLogin } from '../../core/define/app-kind.ts'
import { poolOf, RATE_LABELS } from '../../core/define/quota.ts'
import { findLost } from '../../erasure/find-lost.ts'
import { restoreAccount } from '../../erasure/restore-account.ts'
import { calledAs } from '../frame/called-as.ts'
import type { CommonOptions } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { eachAccount } from '../frame/each-account.ts'
import { codeOf, printErased } from '../frame/erasure-lines.ts'
import { worst } from '../frame/exit-codes.ts'
import { lostJson, printLost, printSettled } from '../output/restored-lines.ts'

export interface RestoredOptions extends CommonOptions {
  account?: string
  dryRun?: boolean
  enterBreak?: boolean
}

/** Says of each account what the restored database lacks, and settles it unless that is all. */
export async function restoreAccounts(context: Context, options: RestoredOptions): Promise<number> {
  const { config } = await context.loadConfig()
  const accounts = chooseAccounts(config, options.account)
  return await withWarehouse(context, { migrate: true }, async (opened) => {
    const outcomes = await eachAccount(context, accounts, (settings) =>
      restoreOne(context, { opened, options }, settings),
    )
    context.output.result({ accounts: outcomes.map(({ json }) => json) })
    return worst(outcomes.map(({ code }) => code))
  })
}

async function restoreOne(
  { output, signal }: Context,
  { opened, options }: { opened: OpenWarehouse; options: RestoredOptions },
  settings: AccountSettings,
): Promise<{ code: number; json: object }> {
  const { name: account } = settings
  const { deps: erasing, close } = await openErasure(opened, { account, signal })
  const deps = { ...erasing, pools: poolsOf(settings) }
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
    if (needsLogin(settings.app) && settled.quota !== undefined)
      output.note(
        `The login of the backup may have been renewed since: if a sync is refused, ` +
          `${calledAs('callsheet')} login --account ${account}`,
      )
    const { lost, quota = null, broken = null, erased } = settled
    const unable = lost.erasures.sealed + lost.erasures.strange > 0
    const code = worst([unable ? 1 : 0, codeOf(erased)])
    return { code, json: { account, ...lostJson(lost), quota, break: broken, erased } }
  } finally {
    await close()
  }
}

function poolsOf({ quotas: setting }: AccountSettings): Map<string, number | undefined> {
  const quotas = quotasOf(setting)
  return new Map(
    RATE_LABELS.map((label) => {
      const quota = quotas[label]
      return [poolOf(label, quota), quota === 'learn' ? undefined : quota.perDay]
    }),
  )
}
