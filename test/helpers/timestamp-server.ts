import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { granted, type Stamped, TimestampAuthority } from './timestamp-authority.ts'

/** The ways in which a time-stamp service may misbehave. */
export type Misbehaviour =
  | 'rejects'
  | 'another digest'
  | 'another nonce'
  | 'HTTP 500'
  | 'bytes that are not DER'

export interface TimestampServer {
  url: string
  authority: TimestampAuthority
  asked: number
  misbehave(how: Misbehaviour | undefined): void
  /** Sets the time or the signer of all later stamps. */
  stampAs(next: Stamped): void
  close(): Promise<void>
}

/** A time-stamp service on this machine. */
export async function startTimestampServer(): Promise<TimestampServer> {
  let how: Misbehaviour | undefined
  let as: Stamped = {}
  const authority = new TimestampAuthority()
  const http: Server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      server.asked++
      if (how === 'HTTP 500') response.statusCode = 500
      response.end(answer(Buffer.concat(pieces), { authority, how, as }))
    })
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const server: TimestampServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/tsr`,
    authority,
    asked: 0,
    misbehave: (next) => void (how = next),
    stampAs: (next) => void (as = next),
    close: async () => {
      http.closeAllConnections()
      http.close()
      await once(http, 'close')
      authority.close()
    },
  }
  return server
}

/** Reads the digest and the nonce, with its leading 1, from fixed offsets in a request of 70 bytes. */
function answer(
  request: Buffer,
  {
    authority,
    how,
    as,
  }: { authority: TimestampAuthority; how: Misbehaviour | undefined; as: Stamped },
): Buffer {
  if (how === 'bytes that are not DER') return Buffer.from('<html>')
  const digest = how === 'another digest' ? Buffer.alloc(32) : request.subarray(24, 56)
  const nonce = how === 'another nonce' ? Buffer.from([1, 2, 3]) : request.subarray(58, 67)
  const stamp = authority.stamp(digest, { nonce, ...as })
  // The standard forbids a token in a refusal, but a server may send one.
  if (how === 'rejects') stamp[8] = 2
  return request.length === 70 ? stamp : granted(Buffer.alloc(0))
}
