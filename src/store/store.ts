/**
 * Where an account's archived files lie, named by the SHA-256 of their content in lower-case hex. A name that
 * is there has all of its bytes: a file gets it only when it is whole and flushed.
 */
export interface FileStore {
  /** For messages: the directory or the bucket, nothing secret. */
  readonly place: string
  /**
   * Makes sure that files can be written, and clears away what a process that was killed left half-written.
   * One process at a time writes an account's store. Throws a StoreError that says what is wrong.
   */
  open(): Promise<void>
  /**
   * For who only wants to know whether files could be written: throws a StoreError that says what is wrong.
   * Makes nothing and clears nothing away, so that another process may be writing meanwhile.
   */
  examine(): Promise<void>
  /** A file on its way in. */
  receive(): Promise<Draft>
  /**
   * Makes all that was kept or removed so far survive a crash of the machine: call it before entering it
   * anywhere.
   */
  flush(): Promise<void>
  /** The bytes in pieces, or undefined when there is no such file. */
  read(sha256: string): Promise<AsyncIterable<Uint8Array> | undefined>
  /** The size in bytes, or undefined when there is no such file. */
  size(sha256: string): Promise<number | undefined>
  /** Only where files lie on this machine: where one is, or would be, for who reads very many. */
  pathOf?(sha256: string): string
  /** The names of all files, where that is cheaper than `list`. */
  names?(): AsyncIterable<string>
  /** All files, in no particular order. */
  list(): AsyncIterable<StoredFile>
  /** Removes a file, for good once it is flushed; none there is no error. */
  remove(sha256: string): Promise<void>
  /**
   * Only where the store itself can refuse a removal: until when it does (epoch milliseconds, infinite under
   * a legal hold of the store's own), or undefined when it does not.
   */
  lockedUntilMs?(sha256: string): Promise<number | undefined>
  /** Keeps a small text under a name of our own, such as a signed head; replaced in one step. */
  keepNote(name: string, text: string): Promise<void>
  readNote(name: string): Promise<string | undefined>
  listNotes(): Promise<string[]>
  /**
   * Only where the store itself can refuse a removal: what it says of a note, so that somebody else can ask
   * it the same; of one version, where it keeps several. Undefined when there is no such note.
   */
  lockedNote?(name: string, version?: string): Promise<LockedNote | undefined>
  /** With it: where a note of that name lies or would, without a look whether it does. */
  noteAddress?(name: string): NoteAddress
  close(): Promise<void>
}

/** A file while it comes in. Ends with `keep` or `discard`. */
export interface Draft {
  /** Resolves when there is room for more; undefined where there is some at once. */
  write(piece: Uint8Array): Promise<void> | undefined
  /**
   * Gives the file, which is whole now, its final name. The same content twice is one file; one that
   * lies there damaged is whole again.
   */
  keep(sha256: string): Promise<void>
  discard(): Promise<void>
}

export interface NoteAddress {
  /** As other tools call it. */
  object: string
  /** Null: the provider's own address for the region. */
  endpoint: string | null
}

export interface LockedNote extends NoteAddress {
  /** Null where the store keeps one version only. */
  version: string | null
  /** Epoch milliseconds; undefined where nothing locks it. */
  lockedUntilMs: number | undefined
}

export interface StoredFile {
  sha256: string
  size: number
}
