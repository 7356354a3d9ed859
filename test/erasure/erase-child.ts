import { catalog } from '../../src/account/catalog.ts'
import { columnPolicyOf } from '../../src/account/column-policy.ts'
import { openErasure } from '../../src/account/open-erasure.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { identityOf } from '../../src/core/persons/identity.ts'
import { type Clock, systemClock } from '../../src/core/time/clock.ts'
import { eraseRequests } from '../../src/erasure/erase-requests.ts'
import { rewriteColumns } from '../../src/erasure/rewrite-columns.ts'
import { connect } from '../../src/warehouse/connect.ts'

/** The input of this program, which a test runs as a child and kills: it erases and prints the outcomes. */
export interface EraseOrder {
  configFile: string
  databaseUrl: string
  now: string
  /** The persons to erase; by default those of all waiting requests. */
  persons?: readonly string[]
  dryRun?: boolean
  /** Instead, rewrites what is stored to the configured policy of columns. */
  columns?: true
}

const order = JSON.parse(process.argv[2] ?? '{}') as EraseOrder
const nowMs = Date.parse(order.now)
const clock: Clock = { ...systemClock, now: () => nowMs }
const { config } = loadConfig({ path: order.configFile, ...catalog, environment: {} })
const warehouse = connect({ url: order.databaseUrl, frozenNow: nowMs, poolSize: 4 })
const wiring = { config, clock, observer: silentObserver, frozenNow: nowMs }
const opened = { wiring, warehouse, embedded: false, close: () => warehouse.close() }
const { signal } = new AbortController()
const { deps, close } = await openErasure(opened, { account: 'account-0', signal })
try {
  if (order.columns === true) await rewrite()
  else await erase()
} finally {
  await close()
  await warehouse.close()
}

async function erase(): Promise<void> {
  const done = await eraseRequests(deps, {
    account: 'account-0',
    ...(order.persons === undefined ? {} : { persons: order.persons.map(identityOf) }),
    askedBy: 'a test',
    byName: false,
    dryRun: order.dryRun === true,
    signal,
  })
  process.stdout.write(JSON.stringify(done.map(({ outcome }) => outcome)))
}

async function rewrite(): Promise<void> {
  const [settings] = config.accounts
  const policy = settings && columnPolicyOf(config, settings)
  const about = { account: 'account-0', policy, settled: false, dryRun: false, signal }
  process.stdout.write(JSON.stringify(await rewriteColumns(deps, about)))
}
