import { createHmac, timingSafeEqual } from 'node:crypto'
import { isSignedBy, type PublicKey, type SigningKey } from '../evidence/log/signing-key.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { type ErasureRequest, readRequests, setIdentities } from './sql/erasure-requests.ts'

/** The facts of an erasure request; changing any of them requires the key. */
export interface RequestFacts {
  account: string
  subject: string
  source: string
  /** As the database prints it, to the microsecond. */
  askedAt: string
  byName: boolean
  identities: readonly { kind: string; text: string }[]
}

/** The keys that can prove a request: the evidence key, or a secret of notifications. */
export interface RequestKeys {
  evidence: PublicKey | undefined
  secrets: readonly string[]
}

function requestText(facts: RequestFacts): string {
  const { account, subject, source, askedAt, byName, identities } = facts
  const persons = identities.map(({ kind, text }) => [kind, text])
  return JSON.stringify(['callsheet request', account, subject, source, askedAt, byName, persons])
}

/** The proof on a request that comes from a notification; it needs no evidence key. */
export function proofBySecret(secret: string, facts: RequestFacts): Buffer {
  return createHmac('sha256', secret).update(requestText(facts)).digest()
}

/**
 * Returns whether whoever made or continued the request had a key from outside the database. Any other
 * request has an unknown origin, because everybody who may write the table can add a row.
 */
export function isProven(
  keys: RequestKeys,
  account: string,
  { proof, ...request }: Pick<ErasureRequest, Signed | 'proof'>,
): boolean {
  const facts = { ...request, account }
  if (proof?.length === 32)
    return keys.secrets.some((secret) => timingSafeEqual(proofBySecret(secret, facts), proof))
  if (proof?.length !== 64 || keys.evidence === undefined) return false
  return isSignedBy(keys.evidence, requestText(facts), proof)
}

/** Signs a request in its present state, for a person with these identities. */
export async function signRequest(
  tx: Transaction,
  { account, key }: { account: string; key: SigningKey },
  { id, identities }: Pick<ErasureRequest, 'id' | 'identities'>,
): Promise<void> {
  const request = (await readRequests(tx, account)).find((one) => one.id === id)
  if (request === undefined) return
  const proof = key.sign(requestText({ ...request, account, identities }))
  await setIdentities(tx, id, { identities, proof })
}

type Signed = 'subject' | 'source' | 'askedAt' | 'byName' | 'identities'
