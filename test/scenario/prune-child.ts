import { pruneArchive } from '../../src/archive/prune-archive.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import { createS3Store } from '../../src/store/s3-store.ts'
import { connect } from '../../src/warehouse/connect.ts'
import { newKey } from '../helpers/evidence-stage.ts'
import { bucketAt } from '../store/bucket.ts'

/** Order for a child process that prunes once and may be killed. */
export interface PruneOrder {
  databaseUrl: string
  endpoint: string
  folder: string
  account: string
}

const order = JSON.parse(process.argv[2] ?? '{}') as PruneOrder
const { databaseUrl, account } = order
const warehouse = connect({ url: databaseUrl, poolSize: 4 })
const store = createS3Store(bucketAt(order.endpoint, order.folder).options(account))
const { byRule, finished } = await pruneArchive(
  {
    warehouse,
    store,
    clock: systemClock,
    observer: silentObserver,
    key: newKey(),
    // The prune itself enters removals; signing the log is tested elsewhere.
    recordRemovals: () => Promise.resolve(),
  },
  { account, rules: [{ keepDays: 30 }], signal: new AbortController().signal },
)
const removed = byRule.reduce((sum, { files }) => sum + files, 0)
process.stdout.write(`${removed} ${finished}`)
await store.close()
await warehouse.close()
