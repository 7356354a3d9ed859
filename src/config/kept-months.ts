/**
 * The minimum retention of a ledger, whatever is configured: status and reports look back that far, and the
 * database also enforces it (`callsheet.oldest_kept`).
 */
export const LEAST_KEPT_MONTHS = 6
