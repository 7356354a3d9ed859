import { sql } from 'kysely'
import { createS3Store } from '../../src/archive/s3-store.ts'
import { systemClock } from '../../src/core/clock.ts'
import { silentObserver } from '../../src/core/observer.ts'
import { pruneArchive } from '../../src/engine/prune-archive.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { bucketAt } from '../archive/bucket.ts'

/** The program of a child that is to be killed: prunes once. */
export interface PruneOrder {
  databaseUrl: string
  endpoint: string
  folder: string
  account: string
}

/** As the manifest does it: an entry for each file that is entered as removed and has none. */
async function enterRemovals(warehouse: Warehouse, account: string): Promise<void> {
  await sql`insert into callsheet.manifest (account, seq, kind, subject, line, hash)
    select account, (select coalesce(max(seq), 0) from callsheet.manifest) + row_number() over (),
      'removal', item, '{}', sha256
    from callsheet.files f where account = ${account} and state = 'removed' and not exists (
      select 1 from callsheet.manifest m where m.account = f.account and m.subject = f.item)`.execute(
    warehouse.db,
  )
  await sql`update callsheet.files set entered = true
    where account = ${account} and state = 'removed'`.execute(warehouse.db)
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
    recordRemovals: () => enterRemovals(warehouse, account),
  },
  { account, rules: [{ keepDays: 30 }], signal: new AbortController().signal },
)
const removed = byRule.reduce((sum, { files }) => sum + files, 0)
process.stdout.write(`${removed} ${finished}`)
await store.close()
await warehouse.close()
