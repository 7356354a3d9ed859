/**
 * A sentence of the documents that can be read in several ways, or that they lack. Each variant is a way in
 * which the sandbox plays it.
 */
export interface Reading {
  /** Where the documents leave it open. */
  where: { document: 1 | 2 | 3; section: string; item?: string }
  /** What is not clear, in our own words. */
  question: string
  variants: Readonly<Record<string, Variant>>
  /** How the sandbox plays it where nobody chooses; where none is named the seed draws one. */
  usual?: string
  /** The variant that demands the most of a client. */
  strict: string
  /** The variant that forgives the most. */
  lenient: string
  /** What Callsheet does about it. */
  callsheet: string
}

export interface Variant {
  /** What such a service does. */
  does: string
  /**
   * A sync of such a service does not end green, and says why; once the setting is adopted, or the time has
   * passed, it does. Where this is not given the tables equal the service's truth after one sync.
   */
  told?: ToldReading
  /** What the run of a sync that ends green says of it. */
  notes?: string
}

export interface ToldReading {
  /** What the run's problems say, whatever else they say. */
  says: string
  /** What mends it, as part of an account's settings or of `archive`. */
  adopt?: { account?: object; archive?: object }
  /** After so many milliseconds another sync is green, with no setting. */
  passesMs?: number
}

/** A reading whose usual, strict and lenient ways are among its variants. */
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
