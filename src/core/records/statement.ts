/** The ledgers of which each row has a statement of its own. */
export const ROW_LEDGERS = [
  'runs',
  'releases',
  'holds',
  'incidents',
  'retention',
  'settings',
  'suppressions',
  'stamps',
  'rows',
] as const

/** Of these a row that no statement is about is stated when it is found: nothing is whole because of one. */
export const AS_FOUND = ['incidents', 'holds', 'stamps'] as const

/**
 * What the subject of a statement about slices begins with. It names the stream, the run and, where they
 * have one, the batch: `ledger/slices/users/12/3`. The statement's content is the root (RFC 6962) over the
 * lines of the batch's slices, by the bytes of their names; that of a row is the hash of its line.
 */
export const SLICES = 'ledger/slices'

/** The subject that says that all rows of before were stated: a row without a statement is none of ours. */
export const BASELINE = 'ledger/baseline'
