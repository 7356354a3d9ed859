/**
 * True if all variants and new seeds are tested, as in `npm run proof`. A push tests a fixed part of each
 * kind (`docs/internals/proof.md`).
 */
export const WHOLE = process.env.CALLSHEET_PROOF === 'whole'
