/** Whether new seeds are tried, as `npm run proof` does. A push tries the same seeds each time. */
export const WHOLE = process.env.CALLSHEET_PROOF === 'whole'
