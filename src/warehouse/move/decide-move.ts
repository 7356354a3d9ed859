/** What a database has of an account. */
export interface AccountThere {
  /** Whether any table has rows of the account. */
  rows: boolean
  /** The marks of the processes that worked on the account in this database, newest first. */
  marks: readonly string[]
  /** The database to which the account was moved; null if it was not moved. */
  movedTo: string | null
}

/**
 * The next step of a move. `copy`: the target has nothing. `clean`: the target has all of the source's work.
 * `moved`: only the target has rows. `nowhere`: neither has. `stale`: the target has an earlier state, from
 * an unfinished move. `diverged`: each has work that the other lacks. `away`: the source has only the rest
 * of an earlier move, and the target has nothing.
 */
export type MoveStep = 'copy' | 'clean' | 'moved' | 'nowhere' | 'stale' | 'diverged' | 'away'

export interface MoveFacts {
  source: AccountThere
  target: AccountThere
  /** Whether the target has the source's last entry of evidence and the source's last run. */
  contained: boolean
}

/** Decides only by the content of the databases, so that a killed move can be repeated at any time. */
export function decideMove({ source, target, contained }: MoveFacts): MoveStep {
  if (!source.rows) return target.rows ? 'moved' : 'nowhere'
  if (!target.rows) return source.movedTo === null ? 'copy' : 'away'
  const [newest] = source.marks
  if (newest !== undefined && target.marks.includes(newest)) return contained ? 'clean' : 'diverged'
  const [newestThere] = target.marks
  return newestThere !== undefined && source.marks.includes(newestThere) ? 'stale' : 'diverged'
}
