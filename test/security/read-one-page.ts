import { readFileSync } from 'node:fs'
import { listUsers } from '../../src/resources/users.ts'
import { clientUnderTest } from '../api/client-under-test.ts'

/** A process that reads one page and tells how it ended, and how much memory it ever had. */
const { client, close } = clientUnderTest(process.argv[2] ?? '')
const ended = await client.fetchPage(listUsers, { query: { status: 'active' } }).then(
  ({ records }) => `${records.count} records`,
  (error: unknown) => (error as { code: string }).code,
)
await close()
process.stdout.write(JSON.stringify({ ended, peakMiB: Math.round(peakKiB() / 1024) }))

/** Linux counts as this process's own what its parent had when it was forked, but not in this place. */
function peakKiB(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1])
}
