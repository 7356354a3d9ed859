import type { Sink } from './receive-file.ts'

export interface DownloadRequest<S extends Sink> {
  /** Signed: never shown, logged or kept. */
  url: string
  /** What this try's bytes go into; a try that fails discards its own. */
  receive(): Promise<S>
  /** How long the file is, where the service says. */
  bytes?: number | undefined
  /** A password is known to protect it. */
  isProtected?: boolean | undefined
  /** The recording's own token, where its list gave one: as secret as the address. */
  downloadToken?: string | undefined
  signal?: AbortSignal | undefined
}

/** The sink is written and not kept yet. */
export interface Downloaded<S extends Sink> {
  sink: S
  bytes: number
  /** The first way to tell who asks was not enough: a password protects it. */
  isProtected: boolean
}
