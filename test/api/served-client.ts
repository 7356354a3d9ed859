import { afterEach } from 'vitest'
import type { ClientOptions } from '../../src/api/client.ts'
import type { CallArguments, Operation } from '../../src/core/define/operation.ts'
import type { CallsheetError } from '../../src/core/errors.ts'
import { listUsers } from '../../src/resources/users.ts'
import { clientUnderTest, readPage } from './client-under-test.ts'
import { type Answer, faultServer } from './fault-server.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** A client of a server that gives these answers in order; both are closed after the test. */
export async function servedClient(answers: Answer[], options: Partial<ClientOptions> = {}) {
  const server = await faultServer(...answers)
  const tested = clientUnderTest(server.url, options)
  closers.push(tested.close, server.close)
  const fetch = (operation: Operation = listUsers, args: CallArguments = {}) =>
    readPage(
      tested.client.fetchPage(operation, args).catch((error: unknown) => error as CallsheetError),
    )
  return { ...tested, server, fetch }
}
