/** What to do about a failed handshake, by the code of its error; undefined for what is no fault of TLS. */
export function tlsAdvice(code: string): string | undefined {
  return ADVICE.find(([codes]) => codes.test(code))?.[1]
}

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /NO_APPLICATION_PROTOCOL/,
    'the server takes no HTTP/1.1, which is all that Callsheet speaks: have HTTP/1.1 turned on beside ' +
      'HTTP/2, or put a proxy before it that speaks both; nothing was sent',
  ],
  [
    /UNSUPPORTED_PROTOCOL|PROTOCOL_VERSION|VERSION_TOO_LOW|INAPPROPRIATE_FALLBACK/,
    "check the server's certificate and TLS: it has no version from TLS 1.2 on; nothing was sent",
  ],
  [
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST/,
    'what answers there speaks no TLS: check the port of the address; nothing was sent',
  ],
  [
    /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/,
    "check the server's certificate, and the clock of this machine; nothing was sent",
  ],
  [
    /CERTIFICATE_REQUIRED/,
    'the server wants a certificate from Callsheet, which has none; nothing was sent',
  ],
  [
    /CERT|TLS|SSL|SIGNATURE|SELF_SIGNED|EPROTO|UNABLE_TO|INVALID_(CA|PURPOSE)|PATH_LENGTH|HOSTNAME_MIS/,
    "check the server's certificate and its name; nothing was sent",
  ],
]
