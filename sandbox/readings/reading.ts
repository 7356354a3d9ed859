/** An ambiguous or missing statement of the documents. The sandbox can play each variant. */
export interface Reading {
  /** The place in the documents. */
  where: { document: 1 | 2 | 3; section: string; item?: string }
  /** The question, in our own words. */
  question: string
  variants: Readonly<Record<string, Variant>>
  /** The default variant. Without a default, the seed draws a variant. */
  usual?: string
  /** The most demanding variant for a client. */
  strict: string
  /** The most forgiving variant. */
  lenient: string
  /** How Callsheet handles the open question. */
  callsheet: string
}

export interface Variant {
  /** How a service of this variant behaves. */
  does: string
  /**
   * A sync of such a service ends with a problem that names the cause, until the `adopt` settings are made or
   * `passesMs` have passed. Without this field, one sync makes the tables equal to the truth.
   */
  told?: ReportedReading
  /** A note of a successful run. */
  notes?: string
}

export interface ReportedReading {
  /** A part of the text of the problem that the run reports. */
  says: string
  /** The settings that fix the problem, for the account or for `archive`. */
  adopt?: { account?: object; archive?: object }
  /** After this many milliseconds another sync succeeds, without a setting. */
  passesMs?: number
}

/** A reading whose `usual`, `strict` and `lenient` name some of its variants. */
interface ReadingOf<Name extends string> extends Reading {
  variants: Readonly<Record<Name, Variant>>
  usual?: NoInfer<Name>
  strict: NoInfer<Name>
  lenient: NoInfer<Name>
}

export function defineReading<const Name extends string>(
  reading: ReadingOf<Name>,
): ReadingOf<Name> {
  return Object.freeze(reading)
}
