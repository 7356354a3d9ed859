import type { AddressInfo } from 'node:net'
import { createServer, connect as dial, type Socket } from 'node:net'
import { afterEach, expect, inject, it } from 'vitest'
import { connect } from '../../src/warehouse/connect.ts'

/**
 * Simulates a pooler such as PgBouncer in transaction mode, which refuses our startup settings or is
 * configured to ignore them. Checked by hand against PgBouncer 1.18.
 */
let stop: () => Promise<unknown> = async () => {}
afterEach(() => stop())

it('a connection pooler that refuses our settings is reported as the cause, with a remedy', async () => {
  await expect(pingThrough((client) => client.end(refusal('statement_timeout')))).rejects.toThrow(
    expect.objectContaining({
      code: 'database_pooler',
      facts: expect.objectContaining({
        came: expect.stringContaining('unsupported startup parameter: statement_timeout') as string,
        todo: expect.stringContaining('at Postgres itself') as string,
      }) as object,
    }) as Error,
  )
})

it('a connection pooler that drops our settings is refused, with the names of these settings', async () => {
  await expect(pingThrough(forward(['user', 'database']))).rejects.toThrow(
    expect.objectContaining({
      code: 'database_pooler',
      facts: expect.objectContaining({
        came: expect.stringMatching(/search_path is .+, not pg_catalog,pg_temp/) as string,
      }) as object,
    }) as Error,
  )
})

it('a connection pooler that changes the text encoding is refused', async () => {
  const recode: Handler = (client, startup) =>
    forward(undefined)(client, Buffer.from(startup.toString('latin1').replaceAll('UTF8', 'SJIS')))
  await expect(pingThrough(recode)).rejects.toThrow(
    expect.objectContaining({
      code: 'database_pooler',
      facts: expect.objectContaining({
        came: 'client_encoding is SJIS, not UTF8',
      }) as object,
    }) as Error,
  )
})

it('a connection pooler that keeps all settings is accepted', async () => {
  await expect(pingThrough(forward(undefined))).resolves.toBeUndefined()
})

type Handler = (client: Socket, startup: Buffer) => void

async function pingThrough(handle: Handler): Promise<void> {
  const server = createServer((client) => {
    client.on('error', () => {})
    client.once('data', (startup: Buffer) => handle(client, startup))
  })
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  const url = new URL(inject('serverUrl'))
  url.port = String((server.address() as AddressInfo).port)
  const warehouse = connect({ url: url.href, poolSize: 1 })
  stop = async () => {
    await warehouse.close()
    await new Promise((done) => void server.close(done))
  }
  await warehouse.ping()
}

/** Forwards to the real server with only these of the startup settings. */
function forward(kept: readonly string[] | undefined): Handler {
  return (client, startup) => {
    const server = dial(Number(new URL(inject('serverUrl')).port), '127.0.0.1')
    server.on('error', () => client.destroy())
    server.write(kept === undefined ? startup : only(startup, kept))
    client.pipe(server).pipe(client)
  }
}

function only(startup: Buffer, kept: readonly string[]): Buffer {
  const words = startup.subarray(8).toString('utf8').split('\0')
  const pairs = words.flatMap((word, at) =>
    at % 2 === 0 && kept.includes(word) ? [word, words[at + 1] ?? ''] : [],
  )
  expect(pairs.length).toBe(2 * kept.length)
  const body = Buffer.from(`${pairs.join('\0')}\0\0`)
  const head = Buffer.from(startup.subarray(0, 8))
  head.writeInt32BE(8 + body.length)
  return Buffer.concat([head, body])
}

function refusal(parameter: string): Buffer {
  const fields = ['SFATAL', 'C08P01', `Munsupported startup parameter: ${parameter}`]
  const body = Buffer.from(`${fields.join('\0')}\0\0`)
  const head = Buffer.from('E0000')
  head.writeInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}
