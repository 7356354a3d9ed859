/** How an attempt at due work ended, as far as the next attempt depends on it. */
export type Ending =
  /** All of it was done. */
  | { kind: 'done' }
  /** It failed or is incomplete, and another attempt may help. */
  | { kind: 'again' }
  /** A person stopped it, or its process died. */
  | { kind: 'interrupted' }
  /** The daily quota is exhausted until `atMs`, in epoch milliseconds. */
  | { kind: 'at'; atMs: number }
  /** Another attempt helps only after a person has acted. */
  | { kind: 'person' }

/** An ending, and why the work was not done, in words for the log. */
export type ExplainedEnding = Ending & { reason?: string | undefined }
