/**
 * No ledger is kept for less, whatever is configured: status and reports look back that far, and the database
 * refuses it by itself (`callsheet.oldest_kept`).
 */
export const LEAST_KEPT_MONTHS = 6
