import type { Span } from '../time/spans.ts'
import type { WireRecord } from '../values/json.ts'
import type { CallArguments, Operation } from './operation.ts'
import type { Stream } from './stream.ts'

/** A kind of files that records of the service point at, and how one comes to them. */
export interface FileSource {
  kind: FileKind
  /** Whose list names its files with addresses that are good for a moment. */
  parent: Stream
  /** The column of the parent past whose instant its files are gone. */
  expiresAt?: string
  /** The parent's boolean column that is true while its files cannot be had, as in the trash. */
  withheld?: string
  rows: readonly FileRows[]
  /** Lists a parent's files anew: addresses are never stored. */
  list: {
    operation: Operation
    /** The span is that of the parent, where its stream tells one. */
    arguments(parent: string, span?: Span): CallArguments
    /** What makes the list give a token of the parent's own, which its files may be fetched with. */
    tokenQuery?: { include_fields: string }
    /** Of a record of a paged list, or of a whole detail answer. */
    files(parent: string, record: WireRecord): readonly ListedFile[]
  }
  download: Operation
}

export type FileKind = 'activity' | 'recording'

/** A stream of which each row stands for a file. Its first key column is the parent's key. */
export interface FileRows {
  stream: Stream
  /** The key columns that name the file within its parent: an ID, and an ordinal where it may repeat. */
  item: string
  ordinal?: string
  /** The column of the instant that the file's age counts from. */
  since?: string
}

export interface ListedFile {
  item: string
  /** Undefined when the service offers no file. */
  url: string | undefined
  bytes?: number | undefined
  /** As the list names it, such as `MP4` or `VTT`; undefined where a file may be anything. */
  kind?: string | undefined
  /** Used at once, and never stored. */
  downloadToken?: string | undefined
}

/** Files to a page of a parent's list; undefined where one answer has all of them. */
export function filesPerPage({ list: { operation } }: FileSource): number | undefined {
  const { paging } = operation
  return paging?.style === 'token' ? paging.maxPageSize : undefined
}

/** A file's name within its parent, as the ledger of files has it. */
export function fileItem(id: string, ordinal: number): string {
  return ordinal === 0 ? id : `${id}#${ordinal}`
}
