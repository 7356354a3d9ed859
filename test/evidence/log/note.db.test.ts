import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  isCheckpointOf,
  originOf,
  readCheckpoint,
  signCheckpoint,
} from '../../../src/evidence/log/checkpoint.ts'
import { isNoteSignedBy, readNote, signNote, verifierKey } from '../../../src/evidence/log/note.ts'
import { type PublicKey, readPublicKey } from '../../../src/evidence/log/signing-key.ts'
import { newKey } from '../../helpers/evidence-stage.ts'
import { anyText, holds } from '../../properties/holds.ts'
import { leafOf } from './naive-tree.ts'

const key = newKey()
const root = leafOf('root')
const checkpoint = signCheckpoint(key, { origin: originOf('main'), size: 7, root })

describe('a signed note', () => {
  it('from the standard is read, and its example key verifies it', () => {
    const theirs = keyIn(EXAMPLE_KEY)
    expect(verifierKey('example.com/foo', theirs)).toBe(EXAMPLE_KEY)
    const note = readNote(EXAMPLE)
    expect(note?.text).toBe('This is an example message.\n')
    expect(note && isNoteSignedBy(note, 'example.com/foo', theirs)).toBe(true)
    const other = readNote(EXAMPLE.replace('example message', 'other message'))
    expect(other && isNoteSignedBy(other, 'example.com/foo', theirs)).toBe(false)
    expect(note && isNoteSignedBy(note, 'example.com/fop', theirs)).toBe(false)
    expect(note && isNoteSignedBy(note, 'example.com/foo', key.publicKey)).toBe(false)
  })

  it('is read back with its text, and is valid only for its key', async () => {
    const text = anyText().map((drawn) => `${drawn.toWellFormed().replace(/\p{Cc}/gu, '')}\n`)
    const other = newKey()
    await holds(
      fc.property(text, (drawn) => {
        const signed = signNote(drawn, 'n/a', key)
        const both = `${signed}${signNote(drawn, 'n/b', other).slice(drawn.length + 1)}`
        for (const one of [signed, both]) {
          const note = readNote(one)
          expect(note?.text).toBe(drawn)
          expect(note && isNoteSignedBy(note, 'n/a', key.publicKey)).toBe(true)
          expect(note && isNoteSignedBy(note, 'n/a', other.publicKey)).toBe(false)
        }
      }),
      200,
    )
  })

  it.each([
    ['nothing', ''],
    ['no signature', 'text\n'],
    ['no blank line', checkpoint.replace('\n\n', '\n')],
    ['no newline at the end', checkpoint.slice(0, -1)],
    ['a control character', checkpoint.replace('callsheet', 'call\tsheet')],
    ['a lone surrogate', checkpoint.replace('callsheet', 'call\ud800sheet')],
    ['another dash', checkpoint.replace('\u2014', '-')],
    ['a name with a plus', checkpoint.replace('\u2014 callsheet', '\u2014 call+sheet')],
    ['a name with a space', checkpoint.replace('\u2014 callsheet', '\u2014 call\u00a0sheet')],
    ['base64 of the URL alphabet', checkpoint.replace(/[A-Za-z0-9+/=]{4}\n$/, '-_-_\n')],
    ['base64 with unused bits set', checkpoint.replace(/.=\n$/, '/=\n')],
    ['only a key ID', checkpoint.replace(/ [^ ]+\n$/, ' AAAAAA==\n')],
    ['a line after the signatures', `${checkpoint}more\n`],
    ['too many signatures', checkpoint + checkpoint.slice(checkpoint.indexOf('\u2014')).repeat(64)],
    ['2 MiB of text', `${'x'.repeat(2 ** 21)}${checkpoint}`],
  ])('is invalid with %s', (_what, text) => {
    expect(readNote(text)).toBeUndefined()
    expect(readCheckpoint(text)).toBeUndefined()
  })
})

describe('a checkpoint', () => {
  it('has origin, size and root in three lines, signed in the name of its origin', () => {
    const [text, signatures] = checkpoint.split('\n\n')
    expect(text).toBe(`callsheet/main\n7\n${root.toString('base64')}`)
    expect(signatures).toMatch(/^\u2014 callsheet\/main \S+\n$/)
    const read = readCheckpoint(checkpoint)
    expect(read).toMatchObject({ origin: 'callsheet/main', size: 7, root })
    expect(read && isCheckpointOf(read, key.publicKey)).toBe(true)
    expect(read && isCheckpointOf(read, newKey().publicKey)).toBe(false)
    expect(verifierKey(originOf('main'), key.publicKey)).toMatch(
      /^callsheet\/main\+[0-9a-f]{8}\+AQ?[A-Za-z0-9+/]+=?$/,
    )
  })

  it('has an origin that is a valid key name, whatever the account’s name is', async () => {
    await holds(
      fc.property(anyText(), (account) => {
        expect(originOf(account)).toMatch(/^callsheet\/[^\s\u0085+]*$/)
        const signed = signCheckpoint(key, { origin: originOf(account), size: 0, root })
        const read = readCheckpoint(signed)
        expect(read && isCheckpointOf(read, key.publicKey)).toBe(true)
      }),
      200,
    )
  })

  it.each([
    ['two lines', `a\n7\n`],
    ['an empty line', `a\n7\n${root.toString('base64')}\n\nmore\n`],
    ['no origin', `\n7\n${root.toString('base64')}\n`],
    ['a size with a leading zero', `a\n07\n${root.toString('base64')}\n`],
    ['a negative size', `a\n-7\n${root.toString('base64')}\n`],
    ['a size beyond safe integers', `a\n${2 ** 53}\n${root.toString('base64')}\n`],
    ['a root that is too short', `a\n7\n${root.subarray(1).toString('base64')}\n`],
    ['a root in hex', `a\n7\n${root.toString('hex')}\n`],
  ])('is invalid with %s', (_what, text) => {
    expect(readNote(signNote(text, 'a', key))).toBeDefined()
    expect(readCheckpoint(signNote(text, 'a', key))).toBeUndefined()
  })
})

/** The public key in a verifier key. */
function keyIn(said: string): PublicKey {
  const raw = Buffer.from(said.split('+').slice(2).join('+'), 'base64').subarray(1)
  const read = readPublicKey(Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw]))
  if (read === undefined) throw new Error('no key')
  return read
}

/** The examples of the standard. */
const EXAMPLE_KEY = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k'
const SIGNATURE =
  'Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM='
const EXAMPLE = `This is an example message.\n\n\u2014 example.com/foo ${SIGNATURE}\n`
