/**
 * Whether all of each kind is tried, new seeds among them, as `npm run proof` does. A push tries some of each
 * kind, and the same each time (`docs/internals/proof.md`).
 */
export const WHOLE = process.env.CALLSHEET_PROOF === 'whole'
