import { hash, X509Certificate } from 'node:crypto'
import type { Attribute, Certificate, SignedData } from 'pkijs'
import { iso } from '../../core/time/time.ts'
import { sha256Hex } from '../log/digest.ts'
import { chainOf, type Given } from './chain.ts'
import { type End, firstEnd } from './ends.ts'
import { type ReadStamp, readStamp, TST_INFO } from './timestamp.ts'

/** A time stamp whose signature, signer and chain are valid. */
export interface JudgedStamp {
  atMs: number
  /** The subject of the signer's certificate, in one line. */
  signer: string
  /** The signer's certificate and the known certificates above it, in order. */
  chain: readonly X509Certificate[]
  /** True if the chain ends at a given root. */
  trusted: boolean
  /** The first expiry of a certificate or an algorithm in the chain. */
  end: End
}

export interface Wrong {
  expected: string
  found: string
}

export type Judgement = { stamp: JudgedStamp } | { wrong: Wrong }

/**
 * Checks whether a response confirms these bytes: its digest, its signature, the certificate that it names,
 * that certificate's purpose, and the chain, all as of the stamp's time. Without roots, it does not check who
 * issued the stamp. Does not check whether a certificate was revoked.
 */
export async function judgeStamp(
  response: Uint8Array,
  data: Uint8Array,
  given: Given,
): Promise<Judgement> {
  const read = await readStamp(response)
  const digest = sha256Hex(data)
  const confirmed = read?.imprint.toString('hex') ?? 'no granted time stamp'
  if (read === undefined || confirmed !== digest) return wrong(digest, confirmed)
  const signer = await signerOf(read.signed, data)
  if (typeof signer === 'string')
    return wrong('a valid signature of the time-stamp service', signer)
  const fault = await faultOf(read, signer)
  if (fault !== undefined)
    return wrong("a signer's certificate that is only for time stamps", fault)
  return await withChain(read, signer, given)
}

async function withChain(read: ReadStamp, own: Certificate, given: Given): Promise<Judgement> {
  const [certificate] = readable([own])
  if (certificate === undefined)
    return wrong("the signer's certificate", 'a certificate that cannot be read')
  const signer = certificate.subject.replaceAll('\n', ', ')
  const atMs = read.at.getTime()
  const [from, to] = [certificate.validFromDate.getTime(), certificate.validToDate.getTime()]
  if (atMs < from || atMs > to)
    return wrong(
      `a certificate that was valid at ${iso(atMs)}`,
      `${signer}: valid from ${iso(from)} until ${iso(to)}`,
    )
  const sent = readable(certificatesOf(read.signed))
  const { chain, trusted } = await chainOf(
    { certificate, atMs },
    { roots: given.roots, others: [...sent, ...given.others] },
  )
  if (given.roots.length > 0 && !trusted)
    return wrong('a chain to a trusted root for time stamps', `${signer}: no chain to any of them`)
  const end = firstEnd(chain, digestsOf(read.signed))
  if (end.atMs <= atMs)
    return wrong(
      `algorithms and certificates valid at ${iso(atMs)}`,
      `${end.of}: valid until ${iso(end.atMs)}`,
    )
  return { stamp: { atMs, signer, chain, trusted, end } }
}

/** The certificate whose key signed, or the reason as text if there is none. */
async function signerOf(signed: SignedData, data: Uint8Array): Promise<Certificate | string> {
  const [info, ...others] = signed.signerInfos
  if (info === undefined || others.length > 0) return `${signed.signerInfos.length} signers`
  if (certificatesOf(signed).length > MOST_CERTIFICATES)
    return `more than ${MOST_CERTIFICATES} certificates`
  const type: unknown = onlyValue(info.signedAttrs?.attributes, CONTENT_TYPE)
  if (valueBlock(type)?.toString() !== TST_INFO) return 'signed attributes that state no time stamp'
  try {
    const { signatureVerified, signerCertificate } = await signed.verify({
      signer: 0,
      data: Uint8Array.from(data).buffer,
      extendedMode: true,
    })
    if (signatureVerified === true && signerCertificate) return signerCertificate
    return 'a signature of other data or by another key'
  } catch (error) {
    return (error as Error).message
  }
}

/** Returns why the signer's certificate is wrong: not the one named, or not limited to time stamps. */
async function faultOf({ signed }: ReadStamp, signer: Certificate): Promise<string | undefined> {
  const attributes = signed.signerInfos[0]?.signedAttrs?.attributes
  const named = (await namedBy(attributes, V2)) ?? (await namedBy(attributes, V1))
  if (named === undefined) return 'the stamp does not name its certificate'
  const [certificate] = readable([signer])
  if (certificate === undefined || hash(named.algorithm, certificate.raw, 'hex') !== named.digest)
    return 'the stamp names another certificate'
  const usage = signer.extensions?.find(({ extnID }) => extnID === KEY_PURPOSES)
  const purposes = (certificate.keyUsage as string[] | undefined) ?? []
  if (usage?.critical !== true || purposes.length !== 1 || purposes[0] !== TIME_STAMPING)
    return `for ${purposes.join(', ') || 'any purpose'}${usage?.critical === true ? '' : ', not critical'}`
  return undefined
}

/** The digest of the certificate in the ESSCertID or ESSCertIDv2 of RFC 5035, and its algorithm. */
async function namedBy(
  attributes: readonly Attribute[] | undefined,
  { type, algorithm }: { type: string; algorithm: string },
): Promise<{ algorithm: string; digest: string } | undefined> {
  const { ObjectIdentifier, OctetString, Sequence } = await import('asn1js')
  const first = (value: unknown): unknown =>
    value instanceof Sequence ? value.valueBlock.value[0] : undefined
  const one = first(first(onlyValue(attributes, type)))
  if (!(one instanceof Sequence)) return undefined
  const parts = one.valueBlock.value
  const digest = parts.find((part) => part instanceof OctetString)
  const own = first(parts[0])
  const stated = own instanceof ObjectIdentifier ? HASHES[own.valueBlock.toString()] : algorithm
  if (digest === undefined || stated === undefined) return undefined
  return { algorithm: stated, digest: Buffer.from(digest.valueBlock.valueHexView).toString('hex') }
}

function onlyValue(attributes: readonly Attribute[] | undefined, type: string): unknown {
  const found = attributes?.filter((one) => one.type === type) ?? []
  return found.length === 1 ? found[0]?.values[0] : undefined
}

function valueBlock(value: unknown): { toString(): string } | undefined {
  return (value as { valueBlock?: { toString(): string } } | undefined)?.valueBlock
}

function certificatesOf({ certificates = [] }: SignedData): Certificate[] {
  return certificates.filter((one) => 'subjectPublicKeyInfo' in one)
}

/** The names of the digest algorithms that the signature depends on. */
function digestsOf({ signerInfos }: SignedData): string[] {
  const id = signerInfos[0]?.digestAlgorithm.algorithmId ?? ''
  return [HASHES[id] ?? id]
}

/** Converts certificates for OpenSSL; omits those that it cannot read. */
function readable(certificates: readonly Certificate[]): X509Certificate[] {
  return certificates.flatMap((one) => {
    try {
      return [new X509Certificate(Buffer.from(one.toSchema().toBER()))]
    } catch {
      return []
    }
  })
}

function wrong(expected: string, found: string): Judgement {
  return { wrong: { expected, found } }
}

/** The largest accepted difference between two clocks; synchronized clocks differ by less. */
export const CLOCKS_APART_MS = 10 * 60_000
const MOST_CERTIFICATES = 20
const CONTENT_TYPE = '1.2.840.113549.1.9.3'
const KEY_PURPOSES = '2.5.29.37'
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8'
const V2 = { type: '1.2.840.113549.1.9.16.2.47', algorithm: 'sha256' }
const V1 = { type: '1.2.840.113549.1.9.16.2.12', algorithm: 'sha1' }
const HASHES: Readonly<Record<string, string>> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.4': 'sha224',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
}
