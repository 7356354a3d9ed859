import { withWarehouse } from '../../account/wire.ts'
import { toMinutes } from '../../core/time/time.ts'
import { type AlertRow, openAlerts } from '../../service/ledger/alerts.ts'
import { calledAs } from '../frame/called-as.ts'
import type { CommonOptions } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import type { TableRow } from '../frame/output.ts'

export interface AlertOptions extends CommonOptions {
  test?: boolean
}

/** Which alerts are open, by what was told. */
export async function showAlerts(context: Context): Promise<number> {
  const { output } = context
  return await withWarehouse(context, { migrate: false }, async ({ warehouse }) => {
    const found = await openAlerts(warehouse.db, MOST_LISTED + 1)
    const alerts = found.slice(0, MOST_LISTED)
    if (alerts.length === 0)
      output.line(`No alert is open. ${calledAs('callsheet')} status shows how everything stands.`)
    else
      output.table([
        ['channel', 'account', 'level', 'cause', 'since (UTC)', 'last told (UTC)', 'not told'],
        ...alerts.map(alertRow),
      ])
    if (found.length > alerts.length) output.line(`... and more than these ${MOST_LISTED}`)
    output.result({ alerts: alerts.map(alertJson), more: found.length > alerts.length })
    return 0
  })
}

function alertRow({ channel, cause, toldMs, attempts, lastError }: AlertRow): TableRow {
  const { account = '', level, sentence, sinceMs } = cause
  const failed = lastError === undefined ? '' : `${lastError}, ${attempts} times`
  return [channel, account, level, sentence, minutes(sinceMs), minutes(toldMs), failed]
}

function alertJson({ channel, cause, ...alert }: AlertRow): object {
  const { account, sinceMs, ...said } = cause
  return {
    channel,
    account: account ?? null,
    ...said,
    since: iso(sinceMs),
    firstToldAt: iso(alert.firstToldMs),
    lastToldAt: iso(alert.toldMs),
    attempts: alert.attempts,
    lastError: alert.lastError ?? null,
  }
}

function minutes(ms: number | undefined): string {
  return ms === undefined ? 'not yet' : toMinutes(new Date(ms).toISOString())
}

function iso(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString()
}

const MOST_LISTED = 1_000
