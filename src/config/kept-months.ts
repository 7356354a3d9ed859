/**
 * The minimum retention of a ledger, whatever is configured, because status and reports look back that far.
 * The database also enforces it (`callsheet.oldest_kept`).
 */
export const LEAST_KEPT_MONTHS = 6
