/** Who comes first when the quota does not suffice; the first rule that fits. */
export interface PriorityRule {
  whiteboards?: readonly string[] | undefined
  /** Names of labels that we applied ourselves. */
  labels?: readonly string[] | undefined
  outsiders?: true | undefined
}

/** A session with archives to fetch. */
export interface ArchiveSession {
  session: string
  whiteboard: string | undefined
  label: string | undefined
  /** People took part whom the account does not know. */
  outsiders: boolean
  /** Epoch milliseconds; infinite for what does not expire. */
  expiresAtMs: number
}

/** Which rule a session falls under, from 0; `rules.length` under none. Less comes first. */
export function rankOf(session: ArchiveSession, rules: readonly PriorityRule[]): number {
  const found = rules.findIndex((rule) => fits(session, rule))
  return found < 0 ? rules.length : found
}

/**
 * The order in which archives are fetched: by what expires first while the quota suffices for all of them;
 * where it does not, by the first rule that fits, and by expiry among equals.
 */
export function orderByDeadline<T extends ArchiveSession>(
  sessions: readonly T[],
  { rules, suffices }: { rules: readonly PriorityRule[]; suffices: boolean },
): T[] {
  const ranks = suffices ? undefined : new Map(sessions.map((one) => [one, rankOf(one, rules)]))
  const rank = (session: T): number => ranks?.get(session) ?? 0
  return sessions.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      a.expiresAtMs - b.expiresAtMs ||
      (a.session < b.session ? -1 : Number(a.session > b.session)),
  )
}

function fits({ whiteboard, label, outsiders }: ArchiveSession, rule: PriorityRule): boolean {
  if (rule.outsiders === true) return outsiders
  if (rule.whiteboards !== undefined)
    return whiteboard !== undefined && rule.whiteboards.includes(whiteboard)
  return label !== undefined && rule.labels?.includes(label) === true
}
