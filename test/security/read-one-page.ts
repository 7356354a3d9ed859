import { listUsers } from '../../src/resources/users.ts'
import { clientUnderTest } from '../api/client-under-test.ts'

/** A process that reads one page and tells how it ended, and how much memory it ever had. */
const { client, close } = clientUnderTest(process.argv[2] ?? '')
const ended = await client.fetchPage(listUsers, { query: { status: 'active' } }).then(
  ({ records }) => `${records.count} records`,
  (error: unknown) => (error as { code: string }).code,
)
await close()
const peakMiB = Math.round(process.resourceUsage().maxRSS / 1024)
process.stdout.write(JSON.stringify({ ended, peakMiB }))
