import { join } from 'node:path'
import { expect } from 'vitest'
import { sha256Hex } from '../../../src/evidence/log/digest.ts'
import type { SigningKey } from '../../../src/evidence/log/signing-key.ts'
import type { CastStage, DatabaseRole } from '../../helpers/cast-stage.ts'
import type { EvidenceStage } from '../../helpers/evidence-stage.ts'
import type { Members } from '../../helpers/rewrite-zip.ts'

/** Who tampers, as docs/evidence.md names them. */
export const ROLES = {
  bearer: 'whoever hands on a bundle',
  store: 'whoever may write the store',
  writer: 'the writer of the database, who syncs',
  eraser: 'the eraser',
  receiver: 'the receiver of notifications',
  reporter: 'the reporter',
  stranger: 'a role without grants',
  owner: 'the owner of the database',
  holder: 'whoever holds the key',
  former: 'whoever holds a key of before',
} as const

export type Role = keyof typeof ROLES

/** Codes of findings, each with what it names; or that the database refuses it. */
export type Found = readonly (readonly [string, string | RegExp])[]

/** As the findings of a check are compared with it. */
export const asFound = (expected: Found): { code: string; what: string }[] =>
  expected.map(([code, what]) => ({
    code,
    what: typeof what === 'string' ? what : (expect.stringMatching(what) as string),
  }))

/** A name, what is done, and all the findings that must come of it. */
export type Tamper = readonly [string, (stage: CastStage) => Promise<unknown> | void, Found]

type Does = Tamper[1]

/** A name, what is done to the members of a bundle, and all the findings that must come of it. */
export type BundleTamper = readonly [
  string,
  (members: Members, others: { older: Members; others: Members; key: SigningKey }) => void,
  Found,
]

/** By the statements of a role with its own grants. */
export const by =
  (role: DatabaseRole, ...statements: string[]): Does =>
  (stage) =>
    stage.as(role, ...statements)

/** By the owner, who has turned off the guards of the tables. */
export const sqlOf =
  (...statements: string[]): Does =>
  async (stage) => {
    for (const statement of statements) await stage.tamper(statement)
  }

/** One after the other. */
export const all =
  (...steps: Does[]): Does =>
  async (stage) => {
    for (const step of steps) await step(stage)
  }

/** Where the store of a stage has a file of this content. */
export function fileIn(
  { store, directory }: Pick<EvidenceStage, 'store' | 'directory'>,
  content: string,
): string {
  const sha256 = sha256Hex(content)
  return store.pathOf?.(sha256) ?? join(directory, 'files', sha256)
}

/** What is found of each change of a table that the program did not state. */
export const did = (place: string): Found[number] => [
  'stated_nowhere',
  new RegExp(`^what batch \\S+ did to ${place}$`),
]

/** As the database notes a row whose table has no later column. */
export const LEAF = 'sha256(substring(record_send(r) from 5))'
