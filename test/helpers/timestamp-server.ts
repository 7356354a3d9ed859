import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a time-stamp service that misbehaves does. */
export type Misbehaviour = 'rejects' | 'another digest' | 'another nonce' | 'HTTP 500' | 'no DER'

export interface TimestampServer {
  url: string
  asked: number
  misbehave(how: Misbehaviour | undefined): void
  close(): Promise<void>
}

/** A time-stamp service on this machine. Its tokens are whole but for the signature, which nobody reads. */
export async function startTimestampServer(): Promise<TimestampServer> {
  let how: Misbehaviour | undefined
  const http: Server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      server.asked++
      if (how === 'HTTP 500') response.statusCode = 500
      response.end(answer(Buffer.concat(pieces), how))
    })
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const server: TimestampServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/tsr`,
    asked: 0,
    misbehave: (next) => void (how = next),
    close: async () => {
      http.closeAllConnections()
      http.close()
      await once(http, 'close')
    },
  }
  return server
}

/** The request is 70 bytes of known places: the digest, and the nonce with its leading 1. */
function answer(request: Buffer, how: Misbehaviour | undefined): Buffer {
  if (how === 'no DER') return Buffer.from('<html>')
  if (request.length !== 70) return tlv(0x30, tlv(0x30, tlv(0x02, Buffer.from([2]))))
  const digest = how === 'another digest' ? Buffer.alloc(32) : request.subarray(24, 56)
  const nonce = how === 'another nonce' ? Buffer.from([1, 2, 3]) : request.subarray(58, 67)
  const algorithm = tlv(0x30, Buffer.from('06096086480165030402010500', 'hex'))
  const info = tlv(
    0x30,
    tlv(0x02, Buffer.from([1])),
    Buffer.from('06042a030401', 'hex'),
    tlv(0x30, algorithm, tlv(0x04, digest)),
    tlv(0x02, Buffer.from([7])),
    tlv(0x18, Buffer.from('20260708023000Z')),
    tlv(0x02, nonce),
  )
  const content = tlv(0x30, TST_INFO, tlv(0xa0, tlv(0x04, info)))
  const signed = tlv(0x30, tlv(0x02, Buffer.from([3])), tlv(0x31, algorithm), content)
  const status = tlv(0x30, tlv(0x02, Buffer.from([how === 'rejects' ? 2 : 0])))
  return tlv(0x30, status, tlv(0x30, SIGNED_DATA, tlv(0xa0, signed)))
}

function tlv(tag: number, ...parts: readonly Buffer[]): Buffer {
  const value = Buffer.concat(parts)
  const length = value.length < 128 ? [value.length] : [0x81, value.length]
  return Buffer.concat([Buffer.from([tag, ...length]), value])
}

const SIGNED_DATA = Buffer.from('06092a864886f70d010702', 'hex')
const TST_INFO = Buffer.from('060b2a864886f70d0109100104', 'hex')
