/** A mismatch with the evidence, described so that a person can investigate it. */
export interface EvidenceFinding {
  code: string
  /** The entry, checkpoint, file or member that does not match. */
  what: string
  expected?: string
  found?: string
}

/** The findings of a check. Beyond a limit they are only counted, because one broken chain causes many. */
export class Findings {
  readonly kept: EvidenceFinding[] = []
  total = 0

  add(code: string, what: string, { expected, found }: { expected?: string; found?: string } = {}) {
    this.total++
    if (this.kept.length >= MOST_KEPT) return
    this.kept.push({
      code,
      what,
      ...(expected === undefined ? {} : { expected }),
      ...(found === undefined ? {} : { found }),
    })
  }
}

const MOST_KEPT = 1_000
