import { expect, it } from 'vitest'
import type { CallsheetError } from '../../src/core/errors.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import { downloadArchivedFile } from '../../src/resources/whiteboard-archives.ts'
import { clientUnderTest } from './client-under-test.ts'
import { type Answer, faultServer } from './fault-server.ts'
import { hastyClock } from './hasty-clock.ts'
import { memorySinks } from './memory-sink.ts'

it('a file without a length that takes too long is aborted, and not retried at once', async () => {
  const server = await faultServer(trickle)
  const clock = {
    ...hastyClock(),
    alarm: (ms: number, ring: () => void) => systemClock.alarm(ms / 400, ring),
  }
  const tested = clientUnderTest(server.url, { clock, limits: { fileTimeoutMs: 90_000 } })
  const { receive, counts } = memorySinks()
  const url = `${server.url}/files/1`
  const error = await tested.client
    .download(downloadArchivedFile, { url, receive })
    .catch((failed: unknown) => failed as CallsheetError)
  expect(error).toMatchObject({ code: 'file_time_over' })
  expect((error as CallsheetError).message).toContain('not complete after 1.5 minutes')
  expect(server.requests).toHaveLength(1)
  expect(counts.discarded).toBe(counts.made)
  await tested.close()
  await server.close()
})

/** Sends fast enough not to count as slow, and never ends. */
function trickle(...[, response]: Parameters<Answer>): void {
  response.writeHead(200, { 'content-type': 'application/octet-stream' })
  const timer = setInterval(() => response.write(Buffer.alloc(40_000)), 10)
  response.on('close', () => clearInterval(timer))
}
