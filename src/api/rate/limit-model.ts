import type { SentBefore } from './send-record.ts'

/**
 * What refusals have shown of how the service counts. A bucket is empty at each refusal, so what was let
 * through between two of them is what it allows, whatever the rate was in between: refusals soon after one
 * another agree in it. Where calls are counted by windows that average depends on how long the hold was and
 * how soon the next refusal came, and agrees by chance only.
 */
export interface BucketSigns {
  bucket: boolean
  /** How often in sequence refusals have agreed. */
  agreed: number
  /** The average up to the last refusal, where it came soon after the one before. */
  sustained: number | undefined
}

export const NO_SIGNS: BucketSigns = { bucket: false, agreed: 0, sustained: undefined }

/** `excess` is what a look sent beyond the known ceiling, in windows; undefined when none was under way. */
export function readSigns(
  signs: BucketSigns,
  { sinceMs, sustained }: SentBefore,
  { windowMs, excess }: { windowMs: number; excess: number | undefined },
): BucketSigns {
  // A bucket that has filled meanwhile would have let through more.
  if (signs.bucket && excess !== undefined && excess < LEAST_EXCESS) return NO_SIGNS
  const since = sinceMs / windowMs
  if (since < TOO_SOON) return signs
  if (since > SOON || sustained === undefined) return { ...signs, sustained: undefined }
  if (signs.sustained === undefined) return { ...signs, sustained }
  const agrees = Math.abs(sustained / signs.sustained - 1) < ALIKE
  const agreed = agrees ? signs.agreed + 1 : 0
  return { bucket: agreed > 0 && (signs.bucket || agreed >= PROOF), agreed, sustained }
}

/** Windows between two refusals: sooner, the average is mostly the hold; later, others may have changed. */
const TOO_SOON = 3
const SOON = 15
const ALIKE = 0.05
const PROOF = 2
const LEAST_EXCESS = 0.8
