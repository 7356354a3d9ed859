/** One thing that is not as the evidence says, named so that a person can look at it. */
export interface EvidenceFinding {
  code: string
  /** Which entry, head, file or member. */
  what: string
  expected?: string
  found?: string
}

/** What a check came to. Findings past a bound are counted and not kept: one broken chain breaks much. */
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
