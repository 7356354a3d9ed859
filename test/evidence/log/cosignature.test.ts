import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  cosignaturesIn,
  distinctWitnesses,
  readWitnessKey,
  type WitnessKey,
} from '../../../src/evidence/log/cosignature.ts'
import { judgeWitnesses, policyText, readPolicy } from '../../../src/evidence/log/witness-policy.ts'

/** A checkpoint of a public certificate log, which three public witnesses cosigned on 2026-05-23. */
const SIGNED = [
  [
    'arche2025h1.staging.ct.transparency.dev',
    'ui8GwCF1+kWqZrxGdhj4aX3gcw7XUlXQQabg/27lefwhUkzb' +
      'C3NygNI75MdhL1bfTW9g8Ei59RA23oHP7Ry1k3ZFWwQ=',
  ],
  [
    'transparency.dev/DEV:witness-little-garden',
    '2AQqhwAAAABqEiEgzgFIqqhbUoDwjMWE6UP8nd8/KYTzwZ2r' +
      'hIgcqoXHAwVkjZr4AscylP3v7sEodkRAErumC2q44vdgJY096st5BQ==',
  ],
  [
    'remora.n621.de',
    '2net5wAAAABqEiEgPlfF3V06o0Y+fHM+J5J9s27wgxxcOVSp' +
      'Z/2g/KSiXCg9DEZI+aVCIobWX9sXTynk5XeU/zZ0WBxtqB0DrAWfBw==',
  ],
  [
    'witness.stagemole.eu',
    'Z/euoAAAAABqEiEgw0i+7g2ENfDAWHmtRzCfKTHSDwYDJA2N' +
      'mKeGi9Y8FtEyOUvVr+AJmIY/2TUFucgKi7lI7cUiOvKFYe/TmN9DAg==',
  ],
]
const PUBLIC = `arche2025h1.staging.ct.transparency.dev
1432088532
U7WM79jrzyhGZ5/GUBTpM7NzwdyfFx61t3RovgcC4Ro=

${SIGNED.map((words) => `— ${words.join(' ')}\n`).join('')}`

/** The verifier keys of the witnesses, as published by their operators. */
const OPERATORS = [
  'transparency.dev/DEV:witness-little-garden+d8042a87+BCtusOxINQNUTN5Oj8HObRkh2yHf/MwYaGX4CPdiVEPM',
  'remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2',
  'witness.stagemole.eu+67f7aea0+BEqSG3yu9YrmcM3BHvQYTxwFj3uSWakQepafafpUqklv',
]

const keyOf = (text: string): WitnessKey => {
  const key = readWitnessKey(text)
  if (key === undefined) throw new Error(`${text} is no key`)
  return key
}

describe('cosignatures of public witnesses', () => {
  const witnesses = OPERATORS.map(keyOf)

  it('are found on a public checkpoint, with their times', () => {
    const found = cosignaturesIn(PUBLIC, witnesses)
    expect(found.map(({ witness }) => witness.text)).toEqual(OPERATORS)
    // Each cosignature contains the time 0x6a122120.
    expect(found.map(({ atSeconds }) => atSeconds)).toEqual([1779573024, 1779573024, 1779573024])
    for (const { line } of found) expect(PUBLIC).toContain(`\n${line}`)
  })

  it.each([
    ['the size', (text: string) => text.replace('\n1432088532\n', '\n1432088533\n')],
    ['the root', (text: string) => text.replace('U7WM', 'U7WN')],
    ['the origin', (text: string) => text.replace(/^arche2025h1/, 'arche2025h2')],
  ])('are no longer valid if %s differs', (_what, change) => {
    expect(change(PUBLIC)).not.toBe(PUBLIC)
    expect(cosignaturesIn(change(PUBLIC), witnesses)).toEqual([])
  })

  it('lose only the one whose time differs', () => {
    expect(PUBLIC.split('AAAABqEiEgzg').length).toBe(2)
    const found = cosignaturesIn(PUBLIC.replace('AAAABqEiEgzg', 'AAAABqEiEhzg'), witnesses)
    expect(found.map(({ witness }) => witness.name)).toEqual([
      'remora.n621.de',
      'witness.stagemole.eu',
    ])
  })

  it('are reported as a count, with the total and whether they are enough', () => {
    const more = keyOf(madeKey('fourth.example').vkey)
    const policy = { witnesses: [...witnesses, more], needed: 3 }
    const { cosigned, missing, enough } = judgeWitnesses(PUBLIC, policy)
    expect([cosigned.length, missing, enough]).toEqual([3, [more], true])
    expect(judgeWitnesses(PUBLIC, { ...policy, needed: 4 }).enough).toBe(false)
  })
})

describe('a cosignature', () => {
  const body = 'callsheet/main\n28\nU7WM79jrzyhGZ5/GUBTpM7NzwdyfFx61t3RovgcC4Ro=\n'

  it('is valid if the key signed the header, the time and the text', () => {
    const { vkey, cosign } = madeKey('w.example/1')
    expect(timesIn(`${body}\n${cosign(body, 1_800_000_000n)}`, vkey)).toEqual([1_800_000_000])
  })

  it.each([
    ['without a time', 0n],
    ['with a time beyond any date', 2n ** 63n],
  ])('is invalid %s', (_what, time) => {
    const { vkey, cosign } = madeKey('w.example/1')
    expect(timesIn(`${body}\n${cosign(body, time)}`, vkey)).toEqual([])
  })

  it('is invalid if a second line of the same key is wrong', () => {
    const { vkey, cosign } = madeKey('w.example/1')
    const wrong = cosign(body.replace('28', '29'), 1_800_000_000n)
    expect(timesIn(`${body}\n${cosign(body, 1_800_000_000n)}${wrong}`, vkey)).toEqual([])
  })

  it('counts once for each key, whatever names it has', () => {
    const { vkey, cosign, named } = madeKey('w.example/1')
    const both = [keyOf(vkey), keyOf(named('w.example/2').vkey)]
    const note = `${body}\n${cosign(body, 9n)}${named('w.example/2').cosign(body, 9n)}`
    expect(cosignaturesIn(note, both)).toHaveLength(2)
    expect(distinctWitnesses(both)).toEqual([both[0]])
    expect(judgeWitnesses(note, { witnesses: both, needed: 2 }).enough).toBe(false)
  })
})

it('a witness key is accepted only if its ID matches', () => {
  const [one = ''] = OPERATORS
  expect(readWitnessKey(one)).toMatchObject({ keyId: 'd8042a87', text: one })
  for (const wrong of [
    one.replace('d8042a87', 'd8042a88'),
    one.replace('DEV', 'DEW'),
    one.replace('+BCtu', '+ACtu'),
    one.slice(0, -4),
    // The key of that public log.
    'arche2025h1.staging.ct.transparency.dev+ba2f06c0+AU0vHmlGCS/PdN8b2OaGmKprLI8HKM+dJ472xgFYh15f',
    '',
  ])
    expect(readWitnessKey(wrong)).toBeUndefined()
})

it('the witness policy is written in the standard format, and read back', () => {
  const policy = { witnesses: OPERATORS.map(keyOf), needed: 2 }
  const text = policyText('callsheet/main+00000000+AQ==', policy)
  expect(text).toBe(`log callsheet/main+00000000+AQ==
witness w1 ${OPERATORS[0]}
witness w2 ${OPERATORS[1]}
witness w3 ${OPERATORS[2]}
group needed 2 w1 w2 w3
quorum needed
`)
  expect(readPolicy(text)).toEqual({ log: 'callsheet/main+00000000+AQ==', ...policy })
  expect(readPolicy(text.replace('needed 2', 'needed 0'))).toBeUndefined()
  expect(readPolicy(text.replace('quorum needed', 'quorum none'))).toBeUndefined()
})

function timesIn(note: string, vkey: string): number[] {
  return cosignaturesIn(note, [keyOf(vkey)]).map(({ atSeconds }) => atSeconds)
}

/** Makes a witness by the text of the standard, with node:crypto alone. */
function madeKey(first: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const typed = Buffer.concat([Buffer.from([4]), raw])
  const named = (name: string) => {
    const id = createHash('sha256').update(`${name}\n`).update(typed).digest().subarray(0, 4)
    const cosign = (text: string, time: bigint): string => {
      const stamp = Buffer.alloc(8)
      stamp.writeBigUInt64BE(time)
      const signed = sign(null, Buffer.from(`cosignature/v1\ntime ${time}\n${text}`), privateKey)
      return `— ${name} ${Buffer.concat([id, stamp, signed]).toString('base64')}\n`
    }
    return { vkey: `${name}+${id.toString('hex')}+${typed.toString('base64')}`, cosign }
  }
  return { ...named(first), named }
}
