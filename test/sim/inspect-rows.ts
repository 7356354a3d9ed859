import { checkLedgers } from '../../src/audit/verify/check-ledgers.ts'
import { checkRows } from '../../src/audit/verify/check-rows.ts'
import type { Stream } from '../../src/core/define/stream.ts'
import { BASELINE } from '../../src/core/records/statement.ts'
import { Findings } from '../../src/evidence/log/finding.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import type { Place } from './place.ts'
import type { Plan } from './plan.ts'

/**
 * Whether its processes state what they write. A storm, and most plans that were shrunk, are about a moment,
 * which more statements would move.
 */
export const states = ({ mix }: Plan): boolean => mix !== undefined

/** From here on the processes state what they write, as those of an account that did so before. */
export async function stateFromHere({ account, database }: Place): Promise<void> {
  await database.monitor.query(
    `insert into callsheet.manifest (account, seq, kind, subject, line)
      values ($1, 1, 'statement', '${BASELINE}', '{}') on conflict do nothing`,
    [account],
  )
}

/** What `verify` finds in the tables: the store's part is not played here. Without numbers of the server. */
export async function inspectRows(
  { account, database }: Place,
  streams: readonly Stream[],
): Promise<string[]> {
  const warehouse = connect({ url: database.url, poolSize: 1 })
  try {
    return await foundIn(warehouse, account, streams)
  } finally {
    await warehouse.close()
  }
}

async function foundIn(
  warehouse: Warehouse,
  account: string,
  streams: readonly Stream[],
): Promise<string[]> {
  const comparing = {
    account,
    streams,
    findings: new Findings(),
    notJudged: [],
    unexplained: new Set<number>(),
    checked: { records: 0, erased: 0, stated: 0, rows: 0 },
  }
  await warehouse.transaction(
    async (tx) => {
      await checkLedgers(tx, comparing)
      await checkRows(tx, comparing, streams)
    },
    { snapshot: true, once: true },
  )
  return comparing.findings.kept.map(({ code, what }) => `${code} ${what.replaceAll(/\d+/g, '#')}`)
}
