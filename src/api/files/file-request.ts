import type { Sink } from './receive-file.ts'

export interface DownloadRequest<S extends Sink> {
  /** Signed, so it must never be shown, logged or stored. */
  url: string
  /** Opens a sink for one attempt; a failed attempt discards it. */
  receive(): Promise<S>
  /** The file's length, if the service states it. */
  bytes?: number | undefined
  /** The kind that the service lists, such as `MP4` or `VTT`. */
  kind?: string | undefined
  /** The file is known to be password-protected. */
  isProtected?: boolean | undefined
  /** The recording's own token, if its list gave one: as secret as the address. */
  downloadToken?: string | undefined
  signal?: AbortSignal | undefined
}

/** A complete file in its sink, not yet archived. */
export interface Downloaded<S extends Sink> {
  sink: S
  bytes: number
  /** True if the last of several ways to send the token was used: a password may protect the file. */
  isProtected: boolean
}
