/** What a database has of an account. */
export interface AccountThere {
  /** Whether any table has rows of it. */
  rows: boolean
  /** The marks of the processes that worked on it here, newest first. */
  marks: readonly string[]
  /** Set once it was moved away. */
  movedTo: string | null
}

/**
 * What a move has to do. `copy`: the target has nothing. `clean`: the target continues what the source has.
 * `moved`: only the target has it. `nowhere`: neither has it. `stale`: the target has an earlier state, which
 * an unfinished move left. `diverged`: each has work that the other lacks. `away`: the source is a remainder.
 */
export type MoveStep = 'copy' | 'clean' | 'moved' | 'nowhere' | 'stale' | 'diverged' | 'away'

export interface MoveFacts {
  source: AccountThere
  target: AccountThere
  /** Whether the target has the source's last entry of evidence and its last run. */
  contained: boolean
}

/** Decides by the databases alone, so that a move can be killed at any moment and repeated. */
export function decideMove({ source, target, contained }: MoveFacts): MoveStep {
  if (!source.rows) return target.rows ? 'moved' : 'nowhere'
  if (!target.rows) return source.movedTo === null ? 'copy' : 'away'
  const [newest] = source.marks
  if (newest !== undefined && target.marks.includes(newest)) return contained ? 'clean' : 'diverged'
  const [newestThere] = target.marks
  return newestThere !== undefined && source.marks.includes(newestThere) ? 'stale' : 'diverged'
}
