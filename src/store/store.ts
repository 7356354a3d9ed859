/**
 * Stores an account's archived files, named by the SHA-256 of their content in lower-case hex. A named file
 * is complete: it gets its name only after it is whole and flushed.
 */
export interface FileStore {
  /** The directory or the bucket, for messages; contains no secret. */
  readonly place: string
  /**
   * Checks that files can be written, and removes half-written files of a killed process. One process at a
   * time writes an account's store. Throws a StoreError that describes the problem.
   */
  open(): Promise<void>
  /**
   * Only checks whether files could be written: throws a StoreError that describes the problem. Creates and
   * removes nothing, so that another process may write meanwhile.
   */
  examine(): Promise<void>
  /** A file on its way in. */
  receive(): Promise<Draft>
  /**
   * Makes everything stored or removed so far survive a crash of the machine. Call it before recording that
   * anywhere.
   */
  flush(): Promise<void>
  /** The bytes in pieces, or undefined if there is no such file. */
  read(sha256: string): Promise<AsyncIterable<Uint8Array> | undefined>
  /** The size in bytes, or undefined if there is no such file. */
  size(sha256: string): Promise<number | undefined>
  /** Only for local files: the path of a file, whether it exists or not, for readers of many files. */
  pathOf?(sha256: string): string
  /** The names of all files, if that is cheaper than `list`. */
  names?(): AsyncIterable<string>
  /** All files, in no particular order. */
  list(): AsyncIterable<StoredFile>
  /** Removes a file, permanently after a flush. A missing file is no error. */
  remove(sha256: string): Promise<void>
  /**
   * Only if the store itself can refuse a removal: until when it does (epoch milliseconds, infinite under the
   * store's legal hold), or undefined if it does not.
   */
  lockedUntilMs?(sha256: string): Promise<number | undefined>
  /** Stores a small text under one of our names, such as a signed checkpoint; replaces it in one step. */
  keepNote(name: string, text: string): Promise<void>
  readNote(name: string): Promise<string | undefined>
  listNotes(): Promise<string[]>
  /**
   * Only if the store itself can refuse a removal: what it reports about a note, or one version of it, so
   * that others can ask it the same. Undefined if there is no such note.
   */
  lockedNote?(name: string, version?: string): Promise<LockedNote | undefined>
  /** With it: the address of a note, whether it exists or not. */
  noteAddress?(name: string): NoteAddress
  close(): Promise<void>
}

/** A file while it is received. Ends with `keep` or `discard`. */
export interface Draft {
  /** Resolves when there is room for more; undefined if there is room already. */
  write(piece: Uint8Array): Promise<void> | undefined
  /** Gives the complete file its final name. Equal content is stored once; a damaged copy is replaced. */
  keep(sha256: string): Promise<void>
  discard(): Promise<void>
}

export interface NoteAddress {
  /** The name that other tools use. */
  object: string
  /** Null: the provider's default address for the region. */
  endpoint: string | null
}

export interface LockedNote extends NoteAddress {
  /** Null if the store has one version only. */
  version: string | null
  /** Epoch milliseconds; undefined without a lock. */
  lockedUntilMs: number | undefined
}

export interface StoredFile {
  sha256: string
  size: number
}
