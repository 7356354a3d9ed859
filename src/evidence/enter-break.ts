import { CallsheetError, ConfigurationError } from '../core/errors.ts'
import type { FileStore } from '../store/store.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { noteNumbers } from './head-notes.ts'
import { originAfter } from './log/checkpoint.ts'
import { NOTHING_BEFORE } from './log/digest.ts'
import type { EvidenceAccess } from './log/evidence-access.ts'
import { type Head, headHash, headNote, readHead } from './log/head.ts'
import { breakLine, breakNote, type HeadBreak, lostAfter } from './log/head-break.ts'
import { isSignedBy, readPublicKey } from './log/signing-key.ts'
import { insertBreak } from './sql/head-breaks.ts'
import { type HeadRow, headKeys, lastHead } from './sql/heads.ts'
import { databaseTime } from './sql/manifest.ts'
import { trustedBreaks } from './trusted-breaks.ts'

export interface EnteringBreak extends Pick<EvidenceAccess, 'key' | 'previousKeys'> {
  account: string
  store: FileStore
  inTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
}

/** Heads that the store keeps notes of and the database has lost. */
export interface LostHeads {
  first: number
  last: number
}

/** Undefined where none is lost, or a key holder has entered the break already. */
export async function findLostHeads(entering: EnteringBreak): Promise<LostHeads | undefined> {
  const { store, account } = entering
  const numbers = noteNumbers(await store.listNotes())
  const from = await entering.inTransaction(async (tx) =>
    lostAfter(await trustedBreaks(tx, account, entering), known(await lastHead(tx, account))),
  )
  const lost = numbers.filter((number) => number > from)
  return lost.length === 0 ? undefined : { first: Math.min(...lost), last: Math.max(...lost) }
}

/**
 * States with our key that heads are lost, so that the chain goes on after them, and the log under another
 * name. The notes of the store must
 * follow the database's newest head: else one of the two is of another chain. Returns undefined where nothing
 * is lost. A second call for the same heads states nothing new.
 */
export async function enterBreak(entering: EnteringBreak): Promise<HeadBreak | undefined> {
  const { account, store, key } = entering
  if ((await findLostHeads(entering)) === undefined) return undefined
  const numbers = noteNumbers(await store.listNotes())
  const { last, keys } = await entering.inTransaction(async (tx) => ({
    last: await lastHead(tx, account),
    keys: await headKeys(tx, account),
  }))
  const { number: after = 0, hash: afterHash = NOTHING_BEFORE } = known(last) ?? {}
  const lost = numbers.filter((number) => number > after)
  const first = await readNoted(entering, Math.min(...lost), keys)
  const newest = await readNoted(entering, Math.max(...lost), keys)
  if (first.head.prev_head !== afterHash) throw otherChain(entering, { after, first: first.head })
  const at = await entering.inTransaction(databaseTime)
  const to = newest.head.number
  const one: HeadBreak = {
    v: 1,
    account,
    after,
    after_hash: afterHash,
    to,
    to_hash: newest.hash,
    origin: originAfter(account, to),
    at,
    key: key.publicKey.fingerprint,
  }
  const line = breakLine(one)
  const signature = key.sign(line)
  const row = { after, upto: one.to, line, signature, public_key: key.publicKey.der }
  await entering.inTransaction((tx) => insertBreak(tx, account, row))
  await store.keepNote(breakNote(one, 'sig'), signature.toString('base64'))
  await store.keepNote(breakNote(one, 'json'), line)
  return one
}

function known(head: HeadRow | undefined): { number: number; hash: string } | undefined {
  return head && { number: head.number, hash: head.hash.toString('hex') }
}

/** A lost head as the store keeps it, if a key of ours signed it. */
async function readNoted(
  { account, store, key, previousKeys }: EnteringBreak,
  number: number,
  keys: readonly Buffer[],
): Promise<{ head: Head; hash: string }> {
  const line = (await store.readNote(headNote(number, 'json'))) ?? ''
  const signature = Buffer.from((await store.readNote(headNote(number, 'sig'))) ?? '', 'base64')
  const head = readHead(line)
  const own = [key.publicKey, ...keys.flatMap((der) => readPublicKey(der) ?? [])]
  const trusted = own.filter(({ fingerprint }) =>
    [key.publicKey.fingerprint, ...previousKeys].includes(fingerprint),
  )
  const signer = trusted.find(({ fingerprint }) => fingerprint === head?.key)
  const whole = head?.account === account && head.number === number
  if (whole && signer !== undefined && isSignedBy(signer, line, signature))
    return { head, hash: headHash(line) }
  throw new ConfigurationError('evidence_key_changed', {
    tried: `Entering a break in the evidence of account ${account}`,
    expected: `the key that signed head ${number}, or its fingerprint in evidence.previousKeys`,
    came: whole
      ? `a head that ${head.key} signed, and the key ${key.publicKey.fingerprint}`
      : `a note in ${store.place} that is no head of this account`,
    todo: 'let the holder of that key enter the break',
  })
}

function otherChain(
  { account, store }: EnteringBreak,
  { after, first }: { after: number; first: Head },
): CallsheetError {
  return new CallsheetError('evidence_forked', {
    tried: `Entering a break in the evidence of account ${account}`,
    expected: `head ${first.number} in ${store.place} to follow head ${after} of the database`,
    came: 'one that follows another head',
    todo: 'run callsheet verify, which says what differs; restore a backup of the same database',
  })
}
