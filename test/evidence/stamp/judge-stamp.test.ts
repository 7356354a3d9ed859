import { X509Certificate } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { sha256Hex } from '../../../src/evidence/log/digest.ts'
import { judgeStamp } from '../../../src/evidence/stamp/judge-stamp.ts'
import { timestampRequest } from '../../../src/evidence/stamp/timestamp.ts'
import { TimestampAuthority } from '../../helpers/timestamp-authority.ts'

const DAY = 86_400_000
const authority = new TimestampAuthority()
const stranger = new TimestampAuthority('Another root')
afterAll(() => {
  authority.close()
  stranger.close()
})

const data = Buffer.from('a head')
const digest = Buffer.from(sha256Hex(data), 'hex')
const read = ({ certificate }: { certificate: string }) => new X509Certificate(certificate)
const roots = [read(authority.root)]
const judge = (response: Buffer, given = { roots, others: [] as X509Certificate[] }) =>
  judgeStamp(response, data, given)
const SIGNED = 'a valid signature of the time-stamp service'
const FOR_STAMPS = "a signer's certificate that is only for time stamps"

describe('a time stamp made by openssl', () => {
  it('is valid with its time, chain and end, as openssl confirms', async () => {
    const response = authority.reply(await timestampRequest(digest, Buffer.alloc(8, 1)))
    const judged = await judge(response)
    expect(judged).toMatchObject({
      stamp: { trusted: true, signer: `CN=${authority.signer.name}` },
    })
    if (!('stamp' in judged)) return
    const { chain, atMs, end } = judged.stamp
    expect(Math.abs(atMs - Date.now())).toBeLessThan(60_000)
    expect(chain.map(({ raw }) => raw)).toEqual(
      [authority.signer, authority.root].map((one) => read(one).raw),
    )
    expect(end.atMs).toBe(Date.parse(read(authority.signer).validTo))
    expect(authority.openssl(response, data)).toMatch(/Verification: OK/)
  })

  it('is valid without a root, but from an unknown signer', async () => {
    expect(await judge(authority.stamp(digest), { roots: [], others: [] })).toMatchObject({
      stamp: { trusted: false },
    })
  })

  it.each(['ec:P-384', 'rsa:3072'])('may be signed by a key of %s', async (key) => {
    const signer = authority.issue({ key })
    expect(await judge(authority.stamp(digest, { signer }))).toMatchObject({
      stamp: { trusted: true },
    })
  })

  it('leads to its root over its own or separately stored authorities', async () => {
    const between = authority.issue({ name: 'Between', authority: true })
    const signer = authority.issue({ by: between })
    const alone = authority.stamp(digest, { signer })
    const brought = authority.stamp(digest, { signer, along: [between] })
    expect(await judge(alone)).toHaveProperty('wrong')
    for (const [response, others] of [
      [brought, []],
      [alone, [read(between)]],
    ] as const)
      expect(await judge(response, { roots, others: [...others] })).toMatchObject({
        stamp: { trusted: true, chain: { length: 3 } },
      })
  })

  it('with 2048-bit RSA ends with 2030, even if its certificate lasts longer', async () => {
    const signer = authority.issue({ key: 'rsa:2048', toMs: Date.UTC(2033, 0, 1) })
    expect(await judge(authority.stamp(digest, { signer }))).toMatchObject({
      stamp: { end: { atMs: Date.UTC(2031, 0, 1), of: 'RSA of 2048 bits' } },
    })
  })
})

describe('a time stamp is refused', () => {
  it('for other data, even if its digest was exchanged', async () => {
    const other = Buffer.from(sha256Hex('another head'), 'hex')
    expect(await judge(authority.stamp(other))).toEqual({
      wrong: { expected: digest.toString('hex'), found: other.toString('hex') },
    })
    const exchanged = authority.stamp(other)
    exchanged.set(digest, exchanged.indexOf(other))
    expect(await judge(exchanged)).toMatchObject({ wrong: { expected: SIGNED } })
  })

  it('with a changed time', async () => {
    const response = authority.stamp(digest, { atMs: Date.UTC(2026, 9, 5) })
    response.write('20260905', response.indexOf('20261005'))
    expect(await judge(response)).toMatchObject({ wrong: { expected: SIGNED } })
  })

  it('with a changed signature', async () => {
    const response = authority.stamp(digest)
    response[response.length - 1] = (response.at(-1) ?? 0) ^ 1
    expect(await judge(response)).toEqual({
      wrong: { expected: SIGNED, found: 'a signature of other data or by another key' },
    })
  })

  it('without a certificate ID, or with a lookalike of the certificate', async () => {
    const signer = authority.issue()
    const found = 'the stamp names another certificate'
    const response = authority.stamp(digest, { signer })
    const twin = new X509Certificate(authority.twin(signer))
    response.set(twin.raw, response.indexOf(read(signer).raw))
    expect(await judge(response)).toEqual({ wrong: { expected: FOR_STAMPS, found } })
    expect(await judge(authority.stamp(digest, { signer, unnamed: true }))).toMatchObject({
      wrong: { found: 'the stamp does not name its certificate' },
    })
  })

  it.each([
    ['timeStamping', 'for 1.3.6.1.5.5.7.3.8, not critical'],
    ['critical,serverAuth', 'for 1.3.6.1.5.5.7.3.1'],
    ['critical,timeStamping,serverAuth', 'for 1.3.6.1.5.5.7.3.8, 1.3.6.1.5.5.7.3.1'],
  ])('with a certificate for %s', async (usage, found) => {
    const response = authority.stamp(digest, { signer: authority.issue({ usage }) })
    expect(await judge(response)).toEqual({ wrong: { expected: FOR_STAMPS, found } })
    if (usage !== 'timeStamping')
      expect(() => authority.openssl(response, data)).toThrow(/purpose/i)
  })

  it('with an expired or not yet valid certificate', async () => {
    const over = authority.issue({ toMs: Date.now() - DAY })
    const early = authority.issue({ fromMs: Date.now() + DAY })
    for (const signer of [over, early])
      expect(await judge(authority.stamp(digest, { signer }))).toMatchObject({
        wrong: { expected: expect.stringMatching(/^a certificate that was valid at /) },
      })
    expect(
      await judge(authority.stamp(digest, { signer: over, atMs: Date.now() - 2 * DAY })),
    ).toHaveProperty('stamp')
  })

  it('without a path to a named root, or with a path over a non-issuer', async () => {
    const expected = 'a chain to a trusted root for time stamps'
    expect(await judge(stranger.stamp(digest))).toMatchObject({ wrong: { expected } })
    const leaf = authority.issue({ name: 'Leaf' })
    const signer = authority.issue({ by: leaf })
    const response = authority.stamp(digest, { signer, along: [leaf] })
    expect(await judge(response)).toMatchObject({ wrong: { expected } })
    expect(() => authority.openssl(response, data)).toThrow(/invalid CA/i)
  })

  it('with an obsolete algorithm', async () => {
    const signer = authority.issue({ key: 'rsa:1024' })
    expect(await judge(authority.stamp(digest, { signer }))).toMatchObject({
      wrong: { found: 'RSA of 1024 bits: valid until 2014-01-01T00:00:00.000Z' },
    })
  })

  it('with a changed byte in its digest or in the certificate of its signer', async () => {
    const response = authority.stamp(digest)
    const found = [digest, Buffer.from(read(authority.signer).raw).subarray(-20)].map((part) =>
      response.indexOf(part),
    )
    expect(found).not.toContain(-1)
    for (const at of found) {
      const changed = Buffer.from(response)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(await judge(changed)).toHaveProperty('wrong')
    }
  })
})
