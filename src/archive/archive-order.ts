import type { ArchiveSession } from './sql/session-facts.ts'

/** A rule for which sessions come first if the quota does not suffice. Exactly one field is set. */
export interface PriorityRule {
  whiteboards?: readonly string[] | undefined
  /** Names of labels. A session matches by the label that we last applied to its board. */
  labels?: readonly string[] | undefined
  outsiders?: true | undefined
}

/** Returns the index of the first rule that matches a session, or `rules.length`. The lowest comes first. */
export function rankOf(session: ArchiveSession, rules: readonly PriorityRule[]): number {
  const found = rules.findIndex((rule) => fits(session, rule))
  return found < 0 ? rules.length : found
}

/**
 * Sorts sessions by deadline. Unless `suffices`, the first matching rule comes before the deadline. Sessions
 * with the same deadline are sorted by ID.
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
