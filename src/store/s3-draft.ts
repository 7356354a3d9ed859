import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open, readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { makePrivateDirectory } from '../core/private-directory.ts'
import type { S3Options } from './s3-client.ts'
import { faultGuard } from './store-fault.ts'
import { tryFolders } from './try-folders.ts'

/** A local copy of a file before its upload, readable only by its owner. */
export interface LocalDraft {
  write(piece: Uint8Array): Promise<void>
  size(): number
  /** Reads `bytes` bytes from `offset`, or fewer if the file ends before. */
  read(offset: number, bytes: number): Promise<Uint8Array>
  drop(): Promise<void>
}

export async function openDraft(options: S3Options): Promise<LocalDraft> {
  const directory = draftDirectory(options)
  const path = join(directory, `draft-${crypto.randomUUID()}`)
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  const file = await wrapErrors(directory, () => open(path, flags, 0o600))
  let size = 0
  return {
    async write(piece) {
      await wrapErrors(directory, () => writeAll(file, piece, size))
      size += piece.byteLength
    },
    size: () => size,
    read: (offset, bytes) => readAll(file, offset, bytes),
    async drop() {
      await file.close()
      await unlink(path)
    },
  }
}

/** Removes the drafts of a killed process. Only one process at a time writes an account's store. */
export async function clearDrafts(options: S3Options): Promise<void> {
  const directory = draftDirectory(options)
  await wrapErrors(directory, async () => {
    makePrivateDirectory(directory)
    for (const name of await readdir(directory))
      if (/^draft-[0-9a-f-]{36}$/.test(name)) await unlink(join(directory, name))
  })
}

/** Throws a StoreError if drafts cannot be written. */
export async function tryDrafts(options: S3Options): Promise<void> {
  const directory = draftDirectory(options)
  await wrapErrors(directory, () => tryFolders([directory]))
}

/** Names `stateDirectory` in errors, because a full local disk is not a problem of the bucket. */
function wrapErrors<T>(place: string, work: () => Promise<T>): Promise<T> {
  return faultGuard({ place, setting: 'stateDirectory' })(DRAFTING, work)
}

export function sha256Of(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}

function draftDirectory({ temporaryDirectory, account }: S3Options): string {
  return join(temporaryDirectory, account)
}

async function writeAll(file: FileHandle, piece: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < piece.byteLength; ) {
    const { bytesWritten } = await file.write(piece, done, piece.byteLength - done, at + done)
    done += bytesWritten
  }
}

async function readAll(file: FileHandle, offset: number, bytes: number): Promise<Uint8Array> {
  const buffer = Buffer.alloc(bytes)
  for (let done = 0; done < bytes; ) {
    const { bytesRead } = await file.read(buffer, done, bytes - done, offset + done)
    if (bytesRead === 0) return buffer.subarray(0, done)
    done += bytesRead
  }
  return buffer
}

const DRAFTING = 'Storing a draft for the bucket'
