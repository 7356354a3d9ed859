/** The ledgers whose rows each have a signed statement in the evidence log. */
export const ROW_LEDGERS = [
  'runs',
  'releases',
  'holds',
  'incidents',
  'retention',
  'settings',
  'suppressions',
  'stamps',
  'lakes',
  'rows',
] as const

/** Ledgers whose rows may get a missing statement later, because no claim of completeness depends on them. */
export const AS_FOUND = ['incidents', 'holds', 'stamps'] as const

/**
 * Begins the subject of a statement about slices; the stream, the run and, if there is one, the batch follow:
 * `ledger/slices/users/12/3`. The statement's content is the root (RFC 6962) over the lines of the batch's
 * slices, ordered by the bytes of their names; for a row it is the hash of its line.
 */
export const SLICES = 'ledger/slices'

/** The subject of the statement that all earlier rows have statements. A later row without one is suspect. */
export const BASELINE = 'ledger/baseline'
