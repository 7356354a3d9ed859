import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sha256Hex } from '../../../src/evidence/log/digest.ts'
import { readStamp, timestampRequest } from '../../../src/evidence/stamp/timestamp.ts'
import { holds } from '../../properties/holds.ts'

describe('a time-stamp request', () => {
  it('has the bytes that `openssl ts -query -text` understands', async () => {
    const digest = Buffer.from(sha256Hex('a head'), 'hex')
    const request = await timestampRequest(digest, Buffer.from('ff00000000000001', 'hex'))
    // Version 1, SHA-256, the digest, the nonce after a leading 1, and the request for the certificate.
    expect(request.toString('hex')).toBe(
      `30440201013031300d060960864801650304020105000420${digest.toString('hex')}020901ff000000000000010101ff`,
    )
  })
})

describe('a response made by openssl', () => {
  it('confirms the digest and the nonce that were sent', async () => {
    const stamp = await readStamp(RESPONSE)
    expect(stamp?.imprint.toString('hex')).toBe(sha256Hex('a head'))
    expect(stamp?.nonce?.toString('hex')).toBe('01ff00000000000001')
    expect(stamp?.at.toISOString()).toBe('2026-11-21T22:18:46.000Z')
  })

  it('confirms nothing if it is truncated', async () => {
    for (let length = 0; length < RESPONSE.length; length++)
      expect(await readStamp(RESPONSE.subarray(0, length))).toBeUndefined()
  })

  it('confirms nothing if it was not granted', async () => {
    const rejected = Buffer.from(RESPONSE)
    const status = rejected.indexOf(Buffer.from('3003020100', 'hex'))
    rejected[status + 4] = 2
    expect(await readStamp(rejected)).toBeUndefined()
  })

  it('never throws, whatever the input', async () => {
    await holds(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 200 }),
        fc.nat(RESPONSE.length - 1),
        async (bytes, at) => {
          await readStamp(bytes)
          const changed = Buffer.from(RESPONSE)
          changed.set(bytes.subarray(0, RESPONSE.length - at), at)
          expect([32, undefined]).toContain((await readStamp(changed))?.imprint.length)
        },
      ),
      100,
    )
  })
})

/** The response to the request above by `openssl ts -reply` of OpenSSL 3.0, with a self-made certificate. */
const RESPONSE = Buffer.from(
  [
    'MIIDczADAgEAMIIDagYJKoZIhvcNAQcCoIIDWzCCA1cCAQMxDzANBglghkgBZQMEAgEFADCBkAYLKoZIhvcNAQkQAQ',
    'SggYAEfjB8AgEBBgQqAwQBMDEwDQYJYIZIAWUDBAIBBQAEIE68IEq7OjJ0YUdyGStwESwgr6VADyRZmB5TIDUIuB2w',
    'AgECGA8yMDI2MTEyMTIyMTg0NlowAwIBAQEB/wIJAf8AAAAAAAABoBekFTATMREwDwYDVQQDDAhUZXN0IFRTQaCCAX',
    'UwggFxMIIBF6ADAgECAhReH/kw6maqQC2n5BKxqIaf8Xp+YzAKBggqhkjOPQQDAjATMREwDwYDVQQDDAhUZXN0IFRT',
    'QTAeFw0yNjExMjEyMjE4MzBaFw0zNjExMTgyMjE4MzBaMBMxETAPBgNVBAMMCFRlc3QgVFNBMFkwEwYHKoZIzj0CAQ',
    'YIKoZIzj0DAQcDQgAEXjOGxbx444VEzvx8ZHZTK/dP0HLsXzEa2SpzIwfg/6nYs6yRbQ/4XP4r5U7qmHniq4uj0A9v',
    'ZQKqiYuEibYJ/KNJMEcwFgYDVR0lAQH/BAwwCgYIKwYBBQUHAwgwDgYDVR0PAQH/BAQDAgeAMB0GA1UdDgQWBBR3Sh',
    '90T2XbwnRFxNfTZqq5jXzd8DAKBggqhkjOPQQDAgNIADBFAiEAwBMCoOlpYUZyUFRCEG90YoqAmHiFQJ3C+NSp8nmW',
    '4xICIFryNeQ0PUmhbLRqFBCooWsPZBPViNzhEGb0Rd+BTtQSMYIBMzCCAS8CAQEwKzATMREwDwYDVQQDDAhUZXN0IF',
    'RTQQIUXh/5MOpmqkAtp+QSsaiGn/F6fmMwDQYJYIZIAWUDBAIBBQCggZgwGgYJKoZIhvcNAQkDMQ0GCyqGSIb3DQEJ',
    'EAEEMBwGCSqGSIb3DQEJBTEPFw0yNjExMjEyMjE4NDZaMCsGCyqGSIb3DQEJEAIMMRwwGjAYMBYEFLvMccxHfnIBwj',
    'd946FmJhXU0nGjMC8GCSqGSIb3DQEJBDEiBCAaLjewuoLtQuOoSfZJCckuZT1ixo0yJnJwfUhf/czKLDAKBggqhkjO',
    'PQQDAgRHMEUCIDNCETvy5e2isc28RVkh3+HK4gELfZVRCJk9kQtYcOWFAiEAu3tz0e/eb8+rnTY1XMZ4FNsupsmdpE',
    'KoiPTU7Bo/6qM=',
  ].join(''),
  'base64',
)
