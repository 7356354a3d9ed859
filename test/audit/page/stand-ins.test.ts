import { createHash, createPublicKey, generateKeyPairSync, hash, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { PageBuffer } from '../../../src/audit/page/browser/buffer.ts'
import * as inPage from '../../../src/audit/page/browser/crypto.ts'

const BYTES = Uint8Array.from({ length: 300 }, (_none, at) => (at * 7919) % 256)
const same = (one: Uint8Array, other: Uint8Array) => expect([...one]).toEqual([...other])

/** The page's replacements of Node's modules must behave like these. */
describe('bytes in the verifier page', () => {
  it.each([
    ['', 'utf8'],
    ['grün, 👋 und \ud800 allein', 'utf8'],
    ['\ufeffwith a mark', 'utf8'],
    ['00ff7F', 'hex'],
    ['00f', 'hex'],
    ['0', 'hex'],
    ['00xx11', 'hex'],
    ['AQID', 'base64'],
    ['AQI=', 'base64'],
    ['', 'base64'],
  ] as const)('are the same as in Node for %j as %s', (text, encoding) => {
    const own = PageBuffer.from(text, encoding)
    const theirs = Buffer.from(text, encoding)
    same(own, theirs)
    for (const one of ['utf8', 'hex', 'base64', 'latin1'] as const)
      expect(own.toString(one)).toBe(theirs.toString(one))
  })

  it.each(['A', 'AQI', 'AQ==AQ==', 'not base64!', '=', 'AQI=\n'])(
    'from the non-canonical base64 %j are written differently again',
    (text) => {
      expect(PageBuffer.from(text, 'base64').toString('base64')).not.toBe(text)
      expect(Buffer.from(text, 'base64').toString('base64')).not.toBe(text)
    },
  )

  it('are sliced, joined, compared and copied as in Node', () => {
    const own = PageBuffer.from(BYTES)
    const theirs = Buffer.from(BYTES)
    same(own.subarray(3, 99), theirs.subarray(3, 99))
    expect((own.subarray(3, 99) as typeof own).toString('hex')).toBe(
      theirs.subarray(3, 99).toString('hex'),
    )
    expect(own.toString('latin1', 5, 70)).toBe(theirs.toString('latin1', 5, 70))
    same(PageBuffer.from(BYTES.buffer, 5, 9), Buffer.from(BYTES.buffer, 5, 9))
    same(PageBuffer.concat([own, own.subarray(7)]), Buffer.concat([theirs, theirs.subarray(7)]))
    expect(own.readBigUInt64BE()).toBe(theirs.readBigUInt64BE())
    expect([own.equals(theirs), own.equals(theirs.subarray(1))]).toEqual([true, false])
    const [into, intoTheirs] = [PageBuffer.alloc(400, 1), Buffer.alloc(400, 1)]
    own.copy(into, 50)
    theirs.copy(intoTheirs, 50)
    same(into, intoTheirs)
    // Changes of the original do not affect the copy.
    BYTES.fill(0, 0, 1)
    expect(own[0]).toBe(theirs[0])
  })
})

describe('hashes in the verifier page', () => {
  it('equal the hashes of Node, whatever the pieces', () => {
    for (let length = 0; length < 300; length++) {
      const whole = BYTES.subarray(0, length)
      const cut = (length * 13) % (length + 1)
      const expected = hash('sha256', whole, 'hex')
      const pieces = inPage.createHash('sha256').update(whole.subarray(0, cut))
      expect(pieces.update(whole.subarray(cut)).digest('hex')).toBe(expected)
      expect(inPage.hash('sha256', whole, 'hex')).toBe(expected)
    }
    const text = 'grün, 👋 und \ud800 allein'
    expect(inPage.hash('sha256', text, 'hex')).toBe(createHash('sha256').update(text).digest('hex'))
  })
})

describe('signatures in the verifier page', () => {
  it('cannot be created', () => {
    expect(() => inPage.sign()).toThrow('signs nothing')
  })

  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString()
  const der = publicKey.export({ format: 'der', type: 'spki' })
  const text = 'what is signed'
  const signature = sign(null, Buffer.from(text), privateKey)

  it('accept the same keys as Node', () => {
    for (const key of [pem, `Subject: a key\n${pem}`, { key: der }]) {
      const read = inPage.createPublicKey(key)
      same(read.export({ format: 'der' }) as Uint8Array, der)
      expect(read.export({ format: 'pem' })).toBe(pem)
    }
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey
    const others = [rsa.export({ format: 'pem', type: 'spki' }).toString(), '', 'x', { key: BYTES }]
    for (const other of others)
      expect(() => inPage.createPublicKey(other)).toThrow('no Ed25519 key')
  })

  it('count as valid until they are checked, and then all rules are applied again', async () => {
    const wrong = Buffer.from(signature).fill(1, 0, 1)
    let turns = 0
    const said = await inPage.signed(() => {
      turns++
      const first = inPage.verify(null, text, pem, signature)
      return (
        first && [
          first,
          inPage.verify(null, text, pem, wrong),
          inPage.verify(null, 'x', pem, signature),
        ]
      )
    })
    expect({ said, turns }).toEqual({ said: [true, false, false], turns: 2 })
    expect(inPage.verify(null, text, pem, signature.subarray(1))).toBe(false)
    const other = createPublicKey(generateKeyPairSync('ed25519').privateKey)
    const theirs = other.export({ format: 'pem', type: 'spki' }).toString()
    expect(await inPage.signed(() => inPage.verify(null, text, theirs, signature))).toBe(false)
  })
})
