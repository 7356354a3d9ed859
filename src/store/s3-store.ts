import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  type HeadObjectCommandOutput,
} from '@aws-sdk/client-s3'
import { StoreError } from '../core/errors.ts'
import { openAccess, type S3Access, type S3Options, target } from './s3-client.ts'
import { clearDrafts, type LocalDraft, openDraft, tryDrafts } from './s3-draft.ts'
import { codeOf, s3Error, wrapErrors } from './s3-error.ts'
import { headOf, tryHead } from './s3-head.ts'
import { listKeys, removeVersions } from './s3-list.ts'
import { addressOf, lockedNote, lockedUntilMs, makeLocked } from './s3-lock.ts'
import { examineBucket, prepareBucket } from './s3-prepare.ts'
import { putBytes, putDraft } from './s3-put.ts'
import type { Draft, FileStore, StoredFile } from './store.ts'
import { fileName, noteName } from './stored-names.ts'

/**
 * An S3 bucket as the store of one account. `flush` does nothing, because an object that the service has
 * confirmed survives a crash of this machine.
 */
export function createS3Store(options: S3Options): FileStore {
  const access = openAccess(options)
  const { client, place } = access
  const keeping = new Map<string, Promise<void>>()
  return {
    place,
    async open() {
      await clearDrafts(options)
      await prepareBucket(access)
    },
    async examine() {
      await tryDrafts(options)
      await examineBucket(access)
    },
    receive: async () => draftFor(access, keeping, await openDraft(options)),
    flush: async () => {},
    read: (sha256) => readObject(access, fileKey(access, sha256)),
    size: async (sha256) => (await headOf(access, fileKey(access, sha256)))?.ContentLength,
    async *list() {
      for await (const { key, size } of listKeys(access, access.root)) {
        const [, sha256] = FILE_KEY.exec(key.slice(access.root.length)) ?? []
        if (sha256 !== undefined) yield { sha256, size }
      }
    },
    remove: (sha256) => removeObject(access, fileKey(access, sha256)),
    // Asks the bucket, because it may have lock rules of its own besides `lockDays`.
    lockedUntilMs: async (sha256) =>
      lockedUntilMs(access, await headOf(access, fileKey(access, sha256))),
    keepNote: (name, text) =>
      wrapErrors(`Keeping a note in ${place}`, async () => {
        await putBytes(access, noteKey(access, name), Buffer.from(text, 'utf8'))
        await makeLocked(access, noteKey(access, name))
      }),
    lockedNote: (name, version) => lockedNote(access, noteKey(access, name), version),
    noteAddress: (name) => addressOf(access, noteKey(access, name)),
    async readNote(name) {
      const bytes = await readObject(access, noteKey(access, name))
      return bytes === undefined ? undefined : (await buffer(bytes)).toString('utf8')
    },
    async listNotes() {
      const below = `${access.root}${NOTES}`
      const names: string[] = []
      for await (const { key } of listKeys(access, below)) names.push(key.slice(below.length))
      return names.toSorted()
    },
    close: async () => client.destroy(),
  }
}

function draftFor(access: S3Access, keeping: Map<string, Promise<void>>, draft: LocalDraft): Draft {
  return {
    write: (piece) => draft.write(piece),
    async keep(sha256) {
      try {
        // Two concurrent drafts with the same content become one file.
        const kept = keeping.get(sha256) ?? keep(access, sha256, draft)
        keeping.set(sha256, kept)
        await kept
      } finally {
        keeping.delete(sha256)
        await draft.drop()
      }
    },
    discard: () => draft.drop(),
  }
}

/**
 * Stores a draft. An intact object of the same name stays, and its lock is extended to that of a new one. A
 * damaged object is replaced; a versioned bucket keeps it as an earlier version.
 */
async function keep(access: S3Access, sha256: string, draft: LocalDraft): Promise<void> {
  const key = fileKey(access, sha256)
  await wrapErrors(`Storing a file in ${access.place}`, async () => {
    const before = await tryHead(access, key)
    const size = draft.size()
    if (before === undefined || (await isDamaged(access, { sha256, size }, before)))
      await putDraft(access, { key, sha256, draft })
    await makeLocked(access, key)
  })
}

/** Compares the length, then the bytes. Stored content rarely arrives again, so this is rarely needed. */
async function isDamaged(
  access: S3Access,
  { sha256, size }: StoredFile,
  found: HeadObjectCommandOutput,
): Promise<boolean> {
  if (found.ContentLength !== size) return true
  const hash = createHash('sha256')
  try {
    const bytes = await readObject(access, fileKey(access, sha256))
    for await (const piece of bytes ?? []) hash.update(piece)
  } catch (error) {
    // An object in cold storage cannot be read. It is taken to be intact.
    if (error instanceof StoreError && error.code === 'store_cold') return false
    throw error
  }
  return hash.digest('hex') !== sha256
}

/**
 * Removes an object, or throws if it is locked. In a versioned bucket a plain removal only hides the bytes,
 * so every version is removed, also if the object was already hidden.
 */
async function removeObject(access: S3Access, key: string): Promise<void> {
  await wrapErrors(`Removing a file from ${access.place}`, async () => {
    const head = await tryHead(access, key)
    const untilMs = lockedUntilMs(access, head)
    if (untilMs !== undefined) throw locked(access, untilMs)
    if (head?.VersionId !== undefined) return await removeVersions(access, key)
    const { DeleteMarker } = await access.client.send(new DeleteObjectCommand(target(access, key)))
    if (DeleteMarker === true) await removeVersions(access, key)
  })
}

function locked({ place }: S3Access, untilMs: number): StoreError {
  const held = untilMs === Number.POSITIVE_INFINITY
  return new StoreError('store_locked', {
    tried: `Removing a file from ${place}`,
    came: held
      ? 'a legal hold of the bucket protects it'
      : `the bucket's object lock protects it until ${new Date(untilMs).toISOString()}`,
    todo: held
      ? 'remove the legal hold from the object in the bucket, then run again'
      : 'run again after the lock has ended',
  })
}

export async function readObject(
  { client, ...access }: S3Access,
  key: string,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  const tried = `Reading a file from ${access.place}`
  try {
    const { Body } = await client.send(new GetObjectCommand(target({ client, ...access }, key)))
    return pieces(Body as AsyncIterable<Uint8Array>, tried)
  } catch (error) {
    if (codeOf(error) === 'NoSuchKey') return undefined
    throw s3Error(error, tried)
  }
}

/** Converts the error of an interrupted stream to a StoreError. */
async function* pieces(body: AsyncIterable<Uint8Array>, tried: string): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    throw s3Error(error, tried)
  }
}

function fileKey({ root }: S3Access, sha256: string): string {
  return `${root}${fileName(sha256).slice(0, 2)}/${sha256}`
}

function noteKey({ root }: S3Access, name: string): string {
  return `${root}${NOTES}${noteName(name)}`
}

const FILE_KEY = /^[0-9a-f]{2}\/([0-9a-f]{64})$/
const NOTES = 'notes/'
