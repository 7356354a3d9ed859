import { generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { originAfter } from '../../../src/evidence/log/checkpoint.ts'
import { NOTHING_BEFORE } from '../../../src/evidence/log/digest.ts'
import { Findings } from '../../../src/evidence/log/finding.ts'
import { headHash, headLine } from '../../../src/evidence/log/head.ts'
import {
  breakLine,
  checkBreaks,
  type HeadBreak,
  readBreak,
} from '../../../src/evidence/log/head-break.ts'
import { checkHeadChain, type GivenHead } from '../../../src/evidence/log/head-chain.ts'
import { readSigningKey, type SigningKey } from '../../../src/evidence/log/signing-key.ts'

const key = makeKey()
const other = makeKey()
const first = head(1, NOTHING_BEFORE, 1)
// Heads 2 and 3 were lost: the next one is 4, and follows the first.
const fourth = head(4, headHash(first.line), 2)

function makeKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('ed25519')
  return readSigningKey(privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(), 'a test')
}

function head(number: number, previous: string, entry: number): GivenHead {
  const { fingerprint } = key.publicKey
  const covered = { first: entry, last: entry, root: NOTHING_BEFORE, last_entry: NOTHING_BEFORE }
  const of = { v: 1, account: 'main', number, ...covered, prev_head: previous } as const
  const line = headLine({ ...of, at: '2026-05-10T00:00:00Z', key: fingerprint, coverage: [] })
  return { number, line, signature: key.sign(line), key: key.publicKey }
}

function lost(change: Partial<HeadBreak> = {}, by = key): { line: string; signature: Buffer } {
  const { account = 'main', to = 3 } = change
  const line = breakLine({
    v: 1,
    account: 'main',
    after: 1,
    after_hash: headHash(first.line),
    to: 3,
    to_hash: 'a'.repeat(64),
    origin: originAfter(account, to),
    at: '2026-05-17T00:00:00Z',
    key: by.publicKey.fingerprint,
    ...change,
  })
  return { line, signature: by.sign(line) }
}

function codes(given: { line: string; signature: Buffer }, by = key): string[] {
  const findings = new Findings()
  const rules = { account: 'main', keys: [key.publicKey.fingerprint], findings }
  const breaks = checkBreaks(rules, [{ ...given, key: by.publicKey }])
  checkHeadChain({ ...rules, breaks }, [first, fourth])
  return findings.kept.map(({ code, what }) => `${code} ${what}`)
}

const GAP = ['head_missing head 2', 'head_missing head 3']

it('heads that a key holder states as lost are not missing', () => {
  expect(codes(lost())).toEqual([])
})

it.each([
  ['of another head before it', { after_hash: 'b'.repeat(64) }, GAP],
  ['of fewer heads', { to: 2 }, ['head_missing head 3']],
  ['of another account', { account: 'other' }, ['other_account the break after head 1', ...GAP]],
])('a break %s explains nothing more', (_what, change, expected) => {
  expect(codes(lost(change))).toEqual(expected)
})

it('a break that no trusted key signed explains nothing', () => {
  expect(codes(lost({}, other), other)).toEqual(['key_exchanged the break after head 1', ...GAP])
  const { line } = lost()
  expect(codes({ line, signature: other.sign(line) })).toEqual([
    'signature_wrong the break after head 1',
    ...GAP,
  ])
})

it('a break is read only as it is written', () => {
  const { line } = lost()
  expect(readBreak(line)).toMatchObject({ after: 1, to: 3 })
  expect(readBreak(line.replace(':3,', ': 3,'))).toBeUndefined()
  expect(readBreak(line.replace('"to":3', '"to":1'))).toBeUndefined()
  expect(readBreak(lost({ origin: originAfter('main', 4) }).line)).toBeUndefined()
})
