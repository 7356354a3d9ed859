import type { SignedData } from 'pkijs'

/** The content of a granted RFC 3161 time stamp. Its author is unknown until the signature is checked. */
export interface ReadStamp {
  /** The SHA-256 that is confirmed. */
  imprint: Buffer
  /** Includes the leading 1 that the request adds. */
  nonce: Buffer | undefined
  at: Date
  /** The data that the service signed, with the certificates it included. */
  signed: SignedData
}

/** A request for a time stamp of a SHA-256, with a nonce. Requests the certificate too. */
export async function timestampRequest(sha256: Uint8Array, nonce: Uint8Array): Promise<Buffer> {
  const { AlgorithmIdentifier, MessageImprint, TimeStampReq } = await import('pkijs')
  const { Integer, Null, OctetString } = await import('asn1js')
  const request = new TimeStampReq({
    version: 1,
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({
        algorithmId: SHA256,
        algorithmParams: new Null(),
      }),
      hashedMessage: new OctetString({ valueHex: Buffer.from(sha256) }),
    }),
    // A leading 1 keeps the number positive and its length constant.
    nonce: new Integer({ valueHex: Buffer.concat([Buffer.from([1]), nonce]) }),
    certReq: true,
  })
  return Buffer.from(request.toSchema().toBER())
}

/** Parses a response; undefined for anything but a granted stamp of a SHA-256. Never throws. */
export async function readStamp(response: Uint8Array): Promise<ReadStamp | undefined> {
  const { PKIStatus, SignedData, TimeStampResp, TSTInfo } = await import('pkijs')
  const { fromBER } = await import('asn1js')
  if (response.length > MOST_BYTES) return undefined
  try {
    const { result, offset } = fromBER(new Uint8Array(response), BOUNDS)
    if (offset !== response.length) return undefined
    const { status, timeStampToken: token } = new TimeStampResp({ schema: result })
    const granted = [PKIStatus.granted, PKIStatus.grantedWithMods].includes(status.status)
    if (!granted || token === undefined) return undefined
    if (token.contentType !== SIGNED_DATA) return undefined
    const signed = new SignedData({ schema: token.content })
    const { eContentType: type, eContent: content } = signed.encapContentInfo
    if (type !== TST_INFO || content === undefined) return undefined
    const { messageImprint, nonce, genTime: at } = TSTInfo.fromBER(content.getValue())
    const imprint = Buffer.from(messageImprint.hashedMessage.valueBlock.valueHexView)
    if (messageImprint.hashAlgorithm.algorithmId !== SHA256 || imprint.length !== 32)
      return undefined
    if (Number.isNaN(at.getTime())) return undefined
    return { imprint, at, signed, nonce: nonce && Buffer.from(nonce.valueBlock.valueHexView) }
  } catch {
    // The parsers throw many kinds of errors for malformed bytes.
    return undefined
  }
}

/** The maximum size of a response: a stamp has a few kilobytes, including all its certificates. */
const MOST_BYTES = 2 ** 15
/** Limits for the parser: a stamp with two certificates has about 200 nodes. */
const BOUNDS = { maxNodes: 1_000, maxDepth: 40 }
const SHA256 = '2.16.840.1.101.3.4.2.1'
const SIGNED_DATA = '1.2.840.113549.1.7.2'
/** The object identifier of the signed content: the confirmed digest, the time and the nonce. */
export const TST_INFO = '1.2.840.113549.1.9.16.1.4'
