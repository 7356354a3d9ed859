/**
 * Stores an account's archived files, named by the SHA-256 of their content in lower-case hex. A file gets
 * its name only after all its bytes are stored.
 */
export interface FileStore {
  /** The directory or the bucket, as messages name it; contains no secret. */
  readonly place: string
  /**
   * Prepares the store for writing, and removes half-written files of a killed process. One process at a
   * time may write an account's store. Throws a StoreError that describes the problem.
   */
  open(): Promise<void>
  /**
   * Checks whether files can be written, and throws a StoreError that describes the problem. Leaves nothing
   * behind and removes no drafts, so another process may write at the same time.
   */
  examine(): Promise<void>
  receive(): Promise<Draft>
  /** Makes all changes so far survive a crash of the machine. Call it before recording them anywhere. */
  flush(): Promise<void>
  /** Returns the bytes in pieces, or undefined if there is no such file. */
  read(sha256: string): Promise<AsyncIterable<Uint8Array> | undefined>
  /** Returns the size in bytes, or undefined if there is no such file. */
  size(sha256: string): Promise<number | undefined>
  /** Defined for local files. Returns a file's path, even if the file does not exist. */
  pathOf?(sha256: string): string
  /** Defined if cheaper than `list`: the names of all files. */
  names?(): AsyncIterable<string>
  /** All files, in no particular order. */
  list(): AsyncIterable<StoredFile>
  /** Removes a file; a flush makes that permanent. A missing file is no error; a locked one is. */
  remove(sha256: string): Promise<void>
  /**
   * Defined if the store itself can refuse a removal. Returns until when it refuses (epoch milliseconds,
   * infinite under a legal hold), or undefined if it does not.
   */
  lockedUntilMs?(sha256: string): Promise<number | undefined>
  /** Stores a small text under a name, such as a signed checkpoint; replaces an existing one atomically. */
  keepNote(name: string, text: string): Promise<void>
  readNote(name: string): Promise<string | undefined>
  listNotes(): Promise<string[]>
  /**
   * Defined if the store itself can refuse a removal. Returns the address, version and lock of a note, or of
   * one version of it, so that an auditor can request the same version. Undefined if there is no such note.
   */
  lockedNote?(name: string, version?: string): Promise<LockedNote | undefined>
  /** Defined with `lockedNote`: returns the address of a note, even if it does not exist. */
  noteAddress?(name: string): NoteAddress
  close(): Promise<void>
}

/** A file that is being received. It ends with `keep` or `discard`. */
export interface Draft {
  /** Resolves when more can be written; undefined if that is possible at once. */
  write(piece: Uint8Array): Promise<void> | undefined
  /** Gives the complete file its final name. Equal content is stored once; a damaged copy is replaced. */
  keep(sha256: string): Promise<void>
  discard(): Promise<void>
}

export interface NoteAddress {
  /** The object's address as other tools write it, `s3://BUCKET/KEY`. */
  object: string
  /** Null for the provider's default address of the region. */
  endpoint: string | null
}

export interface LockedNote extends NoteAddress {
  /** Null if the store does not version objects. */
  version: string | null
  /** Epoch milliseconds; undefined without a lock that binds the bucket's owner too. */
  lockedUntilMs: number | undefined
}

export interface StoredFile {
  sha256: string
  size: number
}
