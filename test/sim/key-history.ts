/** What the service had for one key, and what is stored of it. */
export interface KeyHistory {
  /** Every content that the service ever had for this key, in order. */
  versions: string[]
  /** The place in `versions` of what is stored, at the least. */
  storedAt: number
  present: boolean
  /** When it came to be what it is now; the first look is before all time. */
  changedMs: number
  /** The last instant at which the service did not have it. */
  absentMs: number
}

export function newHistory(content: string, absentMs: number, changedMs: number): KeyHistory {
  return { versions: [content], storedAt: 0, present: true, absentMs, changedMs }
}
