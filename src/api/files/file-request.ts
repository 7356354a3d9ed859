import type { Sink } from './receive-file.ts'

export interface DownloadRequest<S extends Sink> {
  /** Signed: never shown, logged or stored. */
  url: string
  /** Opens the sink for this attempt; a failed attempt discards its own. */
  receive(): Promise<S>
  /** The file's length, if the service states it. */
  bytes?: number | undefined
  /** Its kind as the service lists it, such as `MP4` or `VTT`. */
  kind?: string | undefined
  /** It is known to be protected by a password. */
  isProtected?: boolean | undefined
  /** The recording's own token, if its list gave one: as secret as the address. */
  downloadToken?: string | undefined
  signal?: AbortSignal | undefined
}

/** The sink is written but not yet kept. */
export interface Downloaded<S extends Sink> {
  sink: S
  bytes: number
  /** The first token was not enough: a password protects the file. */
  isProtected: boolean
}
