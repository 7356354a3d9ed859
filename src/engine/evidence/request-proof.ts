import { createHmac, timingSafeEqual } from 'node:crypto'
import { isSignedBy, type PublicKey, type SigningKey } from '../../evidence/signing-key.ts'
import type { Transaction } from '../../warehouse/connection/connect.ts'
import {
  type ErasureRequest,
  readRequests,
  setIdentities,
} from '../../warehouse/erasure/erasure-requests.ts'

/** What a request for an erasure says; whoever changes any of it needs the key anew. */
export interface RequestFacts {
  account: string
  subject: string
  source: string
  /** As the database prints it, to the microsecond. */
  askedAt: string
  byName: boolean
  identities: readonly { kind: string; text: string }[]
}

/** What a request may have been made with: the key of the evidence, or what notifications are signed with. */
export interface RequestKeys {
  evidence: PublicKey | undefined
  secrets: readonly string[]
}

function requestText(facts: RequestFacts): string {
  const { account, subject, source, askedAt, byName, identities } = facts
  const persons = identities.map(({ kind, text }) => [kind, text])
  return JSON.stringify(['callsheet request', account, subject, source, askedAt, byName, persons])
}

/** What whoever was told of a removal puts on the request, who need not have the key of the evidence. */
export function proofBySecret(secret: string, facts: RequestFacts): Buffer {
  return createHmac('sha256', secret).update(requestText(facts)).digest()
}

/**
 * Whether who made the request, or went on with it, had a key that lies outside the database. Of any other
 * nobody knows where it comes from: a row is written by whoever may write the table.
 */
export function isExplained(
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

/** Signs a request as it stands, of a person who is known by these. */
export async function vouchFor(
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
