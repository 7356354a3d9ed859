/**
 * Whether everything is tried: in `npm run proof`, and at night. A push tries a part of what is drawn by a
 * seed or listed by the hundred, and the same part each time.
 */
export const WHOLE = process.env.CALLSHEET_PROOF === 'whole'
