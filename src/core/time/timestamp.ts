/** RFC 3161 in the few bytes that are needed of it: a request, and what a response was made of. */

/** A TimeStampReq for a SHA-256: version 1, a nonce, and the certificate is asked for. */
export function timestampRequest(sha256: Uint8Array, nonce: Uint8Array): Buffer {
  // A leading 1 keeps the number positive and of one length.
  const number = tlv(INTEGER, Buffer.concat([Buffer.from([1]), nonce]))
  const imprint = sequence(sequence(SHA256_OID, NULL), tlv(OCTETS, sha256))
  return sequence(tlv(INTEGER, Buffer.from([1])), imprint, number, tlv(BOOLEAN, TRUE))
}

/**
 * The SHA-256 that a granted TimeStampResp confirms; undefined for any other answer. Says nothing of who
 * signed it: `openssl ts -verify` does.
 */
export function imprintOf(response: Uint8Array): Buffer | undefined {
  return infoOf(response)?.imprint
}

/** What is wrong with a response that is to confirm this SHA-256, in hex; undefined where it does. */
export function wrongStamp(
  response: Uint8Array,
  hash: string,
): { expected: string; found: string } | undefined {
  const found = imprintOf(response)?.toString('hex') ?? 'no granted time stamp'
  return found === hash ? undefined : { expected: hash, found }
}

/** The nonce with the leading 1 that the request puts before it, or undefined. */
export function nonceOf(response: Uint8Array): Buffer | undefined {
  return infoOf(response)?.nonce
}

function infoOf(response: Uint8Array): { imprint: Buffer; nonce: Buffer | undefined } | undefined {
  try {
    const [status, token] = partsOf(only(Buffer.from(response), SEQUENCE))
    if (status === undefined || token === undefined || !isGranted(status)) return undefined
    // ContentInfo, SignedData, EncapsulatedContentInfo, and in it TSTInfo.
    const signed = only(only(partsOf(token.value)[1]?.whole, EXPLICIT), SEQUENCE)
    const encapsulated = partsOf(signed)[2]
    const [type, content] = partsOf(encapsulated?.value ?? EMPTY)
    if (type === undefined || !type.whole.equals(TST_INFO_OID)) return undefined
    const info = partsOf(only(only(only(content?.whole, EXPLICIT), OCTETS), SEQUENCE))
    const [algorithm, digest] = partsOf(info[2]?.value ?? EMPTY)
    const [name] = partsOf(algorithm?.value ?? EMPTY)
    if (name?.whole.equals(SHA256_OID) !== true || digest?.tag !== OCTETS) return undefined
    const nonce = info.slice(5).find(({ tag }) => tag === INTEGER)?.value
    return digest.value.length === 32 ? { imprint: digest.value, nonce } : undefined
  } catch (error) {
    if (error instanceof NotDerError) return undefined
    throw error
  }
}

function isGranted({ value }: Part): boolean {
  const [code] = partsOf(value)
  return code?.tag === INTEGER && code.value.length === 1 && (code.value[0] ?? 9) <= 1
}

interface Part {
  tag: number
  value: Buffer
  /** With its tag and length. */
  whole: Buffer
}

class NotDerError extends Error {}

/** The parts that follow each other in the value of a constructed one. */
function partsOf(bytes: Buffer): Part[] {
  const parts: Part[] = []
  for (let at = 0; at < bytes.length; ) {
    const part = partAt(bytes, at)
    parts.push(part)
    at += part.whole.length
  }
  return parts
}

function partAt(bytes: Buffer, at: number): Part {
  const [tag, first] = [bytes[at], bytes[at + 1]]
  if (tag === undefined || first === undefined) throw new NotDerError()
  const long = first & 0x7f
  const digits = first < 0x80 ? 0 : long
  if (digits > 4 || (first >= 0x80 && digits === 0) || at + 2 + digits > bytes.length)
    throw new NotDerError()
  const length = digits === 0 ? first : bytes.readUIntBE(at + 2, digits)
  const from = at + 2 + digits
  if (from + length > bytes.length) throw new NotDerError()
  const end = from + length
  return { tag, value: bytes.subarray(from, end), whole: bytes.subarray(at, end) }
}

/** The value of the one part that there is, which must have this tag. */
function only(bytes: Buffer | undefined, tag: number): Buffer {
  const parts = partsOf(bytes ?? EMPTY)
  const [part] = parts
  if (part === undefined || parts.length !== 1 || part.tag !== tag) throw new NotDerError()
  return part.value
}

function sequence(...parts: readonly Uint8Array[]): Buffer {
  return tlv(SEQUENCE, Buffer.concat(parts))
}

function tlv(tag: number, value: Uint8Array): Buffer {
  // Nothing of a request is longer than a length of one byte can say.
  return Buffer.concat([Buffer.from([tag, value.length]), value])
}

const [BOOLEAN, INTEGER, OCTETS, SEQUENCE, EXPLICIT] = [0x01, 0x02, 0x04, 0x30, 0xa0]
const EMPTY = Buffer.alloc(0)
const TRUE = Buffer.from([0xff])
const NULL = Buffer.from('0500', 'hex')
/** 2.16.840.1.101.3.4.2.1 */
const SHA256_OID = Buffer.from('0609608648016503040201', 'hex')
/** 1.2.840.113549.1.9.16.1.4 */
const TST_INFO_OID = Buffer.from('060b2a864886f70d0109100104', 'hex')
