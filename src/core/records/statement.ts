/** The ledgers with a statement for each row. */
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

/** In these ledgers a row without a statement is stated when found: no completeness depends on such a row. */
export const AS_FOUND = ['incidents', 'holds', 'stamps'] as const

/**
 * The prefix of the subject of a statement about slices. The subject names the stream, the run and, if there
 * is one, the batch: `ledger/slices/users/12/3`. The statement's content is the root (RFC 6962) over the
 * lines of the batch's slices, ordered by the bytes of their names; for a row it is the hash of its line.
 */
export const SLICES = 'ledger/slices'

/** The subject that records that all earlier rows were stated: a row without a statement is not ours. */
export const BASELINE = 'ledger/baseline'
