import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { isIP } from 'node:net'

export interface Issued {
  /** PEM. */
  certificate: string
  key: string
}

export interface Authority extends Issued {
  /** A server's certificate for a host name or address, over a year around now or as given. */
  issue(host: string, validity?: Validity): Issued
}

interface Validity {
  fromMs: number
  toMs: number
}

/** A certificate authority of one's own, in a few lines of DER: the tests need no openssl. */
export function makeAuthority(name: string): Authority {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signer = { name, key: keys.privateKey }
  const own = certify({ name, publicKey: keys.publicKey, signer, authority: true })
  return {
    certificate: own,
    key: pem(keys.privateKey),
    issue(host, validity) {
      const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const certificate = certify({
        name: host,
        publicKey: pair.publicKey,
        signer,
        host,
        ...(validity === undefined ? {} : { validity }),
      })
      return { certificate, key: pem(pair.privateKey) }
    },
  }
}

/** A certificate that nobody but its own key vouches for. */
export function selfSigned(host: string): Issued {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const certificate = certify({
    name: host,
    publicKey,
    signer: { name: host, key: privateKey },
    host,
  })
  return { certificate, key: pem(privateKey) }
}

interface Wanted {
  name: string
  publicKey: KeyObject
  signer: { name: string; key: KeyObject }
  validity?: Validity
  host?: string
  authority?: boolean
}

function certify({ name, publicKey, signer, validity, host, authority = false }: Wanted): string {
  const { fromMs, toMs } = validity ?? { fromMs: Date.now() - DAY, toMs: Date.now() + 365 * DAY }
  const extensions = [
    extension('551d13', sequence(authority ? tlv(0x01, Buffer.of(0xff)) : Buffer.alloc(0)), true),
    ...(host === undefined ? [] : [extension('551d11', sequence(alternativeName(host)), false)]),
  ]
  const body = sequence(
    tlv(0xa0, tlv(0x02, Buffer.of(2))),
    tlv(0x02, Buffer.of(1, ...crypto.getRandomValues(new Uint8Array(8)))),
    SIGNATURE,
    distinguished(signer.name),
    sequence(time(fromMs), time(toMs)),
    distinguished(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(...extensions)),
  )
  const signature = tlv(0x03, Buffer.concat([Buffer.of(0), sign('sha256', body, signer.key)]))
  const text =
    sequence(body, SIGNATURE, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...text, '-----END CERTIFICATE-----', ''].join('\n')
}

function alternativeName(host: string): Buffer {
  return isIP(host) === 4
    ? tlv(0x87, Buffer.from(host.split('.').map(Number)))
    : tlv(0x82, Buffer.from(host))
}

function extension(oid: string, value: Buffer, critical: boolean): Buffer {
  const flag = critical ? [tlv(0x01, Buffer.of(0xff))] : []
  return sequence(tlv(0x06, Buffer.from(oid, 'hex')), ...flag, tlv(0x04, value))
}

function distinguished(name: string): Buffer {
  const common = sequence(tlv(0x06, Buffer.from('550403', 'hex')), tlv(0x0c, Buffer.from(name)))
  return sequence(tlv(0x31, common))
}

function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '')
  return tlv(0x18, Buffer.from(digits))
}

function sequence(...parts: Buffer[]): Buffer {
  return tlv(0x30, Buffer.concat(parts))
}

/** Tag, length, value. */
function tlv(tag: number, value: Buffer): Buffer {
  return Buffer.concat([Buffer.of(tag, ...lengthOf(value)), value])
}

function lengthOf({ length }: Buffer): number[] {
  if (length < 128) return [length]
  return length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
}

function pem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}

const DAY = 86_400_000
/** ECDSA with SHA-256. */
const SIGNATURE = sequence(tlv(0x06, Buffer.from('2a8648ce3d040302', 'hex')))
