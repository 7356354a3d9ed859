import { join } from 'node:path'
import { expect } from 'vitest'
import { sha256Hex } from '../../../src/evidence/log/digest.ts'
import type { SigningKey } from '../../../src/evidence/log/signing-key.ts'
import type { CastStage, DatabaseRole } from '../../helpers/cast-stage.ts'
import type { EvidenceStage } from '../../helpers/evidence-stage.ts'
import type { Members } from '../../helpers/rewrite-zip.ts'

/** The roles that tamper, with their names in docs/evidence.md. */
export const ROLES = {
  bearer: 'whoever hands on a bundle',
  store: 'whoever may write the store',
  lake: 'whoever may write the lake',
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

/** The codes of expected findings, each with the entry, file or row that it names. */
export type Found = readonly (readonly [string, string | RegExp])[]

/** Converts expected findings for a comparison with those of a check. */
export const asFound = (expected: Found): { code: string; what: string }[] =>
  expected.map(([code, what]) => ({
    code,
    what: typeof what === 'string' ? what : (expect.stringMatching(what) as string),
  }))

/** A name, the tamper, and all expected findings. */
export type Tamper = readonly [string, (stage: CastStage) => Promise<unknown> | void, Found]

type Does = Tamper[1]

/** A name, a change to the members of a bundle, and all expected findings. */
export type BundleTamper = readonly [
  string,
  (members: Members, others: { older: Members; others: Members; key: SigningKey }) => void,
  Found,
]

/** Runs statements as a role with its own grants. */
export const by =
  (role: DatabaseRole, ...statements: string[]): Does =>
  (stage) =>
    stage.as(role, ...statements)

/** Runs statements as the owner, with the tables' triggers off. */
export const sqlOf =
  (...statements: string[]): Does =>
  async (stage) => {
    for (const statement of statements) await stage.tamper(statement)
  }

/** Runs steps one after the other. */
export const all =
  (...steps: Does[]): Does =>
  async (stage) => {
    for (const step of steps) await step(stage)
  }

/** The path at which the store keeps a file of this content. */
export function fileIn(
  { store, directory }: Pick<EvidenceStage, 'store' | 'directory'>,
  content: string,
): string {
  const sha256 = sha256Hex(content)
  return store.pathOf?.(sha256) ?? join(directory, 'files', sha256)
}

/** The finding for an unstated change of a table. */
export const did = (place: string): Found[number] => [
  'stated_nowhere',
  new RegExp(`^changes to ${place} by batch \\S+$`),
]

/** The leaf that the database records for a row `r`, if its table has no trailing nullable column. */
export const LEAF = 'sha256(substring(record_send(r) from 5))'
